"""base64.*, json.*, hash.* and character sets."""

import pytest


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ('base64.encode(text.encode("Hello World", "UTF-8"))', "SGVsbG8gV29ybGQ="),
        ('base64.encode(text.encode("Hello World"), false)', "SGVsbG8gV29ybGQ"),
        ('text.decode(base64.decode("SGVsbG8gV29ybGQ="), "UTF-8")', "Hello World"),
        ('text.decode(base64.decode("SGVsbG8gV29ybGQ", false))', "Hello World"),
        (r'text.decode(base64.decode("SGVs\r\nbG8="))', "Hello"),
        ('text.decode(text.encode("é", "iso-8859-1"), "ISO-8859-1")', "é"),
        ('text.decode(text.encode("é", "latin-1"), "us-ascii")', "\ufffd"),
        ('text.decode(base64.decode("4oJh"))', "\ufffd\ufffda"),
        ('json.decode(base64.decode("Iv8i"))', "\ufffd"),
        ('json.decode(text.encode("[1, 2.5, null, true]"))', [1, 2.5, None, True]),
        (r'json.decode("{\"a\": {\"b\": 1}}").a.b', 1),
        ('json.decode("99999999999999999999")', 1e20),
        (r'json.decode("[\"\\ud83d\\ude00\", \"\\ud800\"]")', ["😀", "\ufffd"]),
        ("json.encode_to_string([1, 2.5, null, true])", "[1,2.5,null,true]"),
        ('json.encode_to_string("é<")', '"é<"'),
        ("text.decode(json.encode([1]))", "[1]"),
        ("json.encode_to_string([1], true)", "[\n    1\n]"),
        ("json.encode_to_string([1], false)", "[1]"),
        ("json.encode_to_string([], true)", "[]"),
        (
            'base64.encode(hash.compute_hmac(text.encode("key"), text.encode("Hello World"), "SHA256"))',
            "QidPcoCDkuWLV9co1+PA5RY+rwfRZdwDEF9iq74afRE=",
        ),
        ('base64.encode(hash.compute_checksum(text.encode(""), "MD5"))', "1B2M2Y8AsgTpgAmY7PhCfg=="),
    ],
)
def test_encoding_gives_the_documented_value(evaluate, expression, value):
    result = evaluate(expression)
    assert (type(value), value) == (type(result), result)


def test_json_indentation_takes_prefix_and_step(evaluate):
    options = {"prefix": "> ", "indent": "--"}
    assert (
        evaluate("json.encode_to_string(m, o)", m={"a": [1]}, o=options)
        == '{\n> --"a": [\n> ----1\n> --]\n> }'
    )


@pytest.mark.parametrize(
    ("expression", "tag"),
    [
        ('json.decode(text.encode("[1]", "UTF-16LE"))', "ValueError"),
        ('base64.decode("SGVsbG8")', "ValueError"),
        ('base64.decode("****")', "ValueError"),
        ('base64.decode("A")', "ValueError"),
        ('base64.encode("text")', "TypeError"),
        ('text.encode("é", "us-ascii")', "ValueError"),
        ('text.encode("a", "rot13")', "ValueError"),
        ('text.encode("a", "unicode_escape")', "ValueError"),
        ('text.encode("a", "no such")', "ValueError"),
        ('text.decode("a")', "TypeError"),
        ('json.decode("{")', "ValueError"),
        ('json.decode("NaN")', "ValueError"),
        ('json.decode("1e999")', "ValueError"),
        ('json.decode(base64.decode("/w=="))', "ValueError"),
        ("json.decode(1)", "TypeError"),
        ('json.encode(text.encode("a"))', "ValueError"),
        ("json.encode(http.default_retry_predicate)", "ValueError"),
        ("json.encode_to_string(1, 2)", "TypeError"),
        ('hash.compute_checksum(text.encode(""), "CRC")', "ValueError"),
        ('hash.compute_checksum("", "MD5")', "TypeError"),
    ],
)
def test_encoding_refuses_bad_arguments(evaluate, expression, tag):
    assert tag in evaluate(expression)


@pytest.mark.parametrize("text", ["[" * 20_000, "[" * 500 + "]" * 500])
def test_json_too_deep_is_a_value_error(evaluate, text):
    assert "ValueError" in evaluate("json.decode(s)", s=text)
