"""HCL is read as Terraform reads it, and what is not HCL is told with its line."""

import pytest

from infra.terraform.hcl import parse
from infra.terraform.layout import askew
from infra.terraform.tokens import Malformed

SOURCE = """
# A comment = "no attribute"
resource "google_pubsub_topic" "this" {
  for_each = var.topics // another

  name   = "${local.prefix}.${each.key}"
  labels = merge(var.labels, { direction = each.value.direction, "quoted" = local.one })
  count2 = 31
  on     = true

  /* a block
     in a comment { */
  dynamic "policy" {
    for_each = var.policy[*]

    content {
      ttl = policy.value["ttl"].seconds
    }
  }
}
"""


def references(source):
    return [".".join(each.path) for each in parse(source).references()]


def test_blocks_and_attributes_are_found_where_they_stand():
    (block,) = parse(SOURCE).blocks
    assert (block.kind, block.labels, block.line) == ("resource", ("google_pubsub_topic", "this"), 3)
    assert [each.name for each in block.attributes] == ["for_each", "name", "labels", "count2", "on"]
    (inner,) = block.blocks
    assert (inner.kind, inner.labels) == ("dynamic", ("policy",))


def test_a_plain_value_is_told_and_one_that_is_worked_out_is_not():
    (block,) = parse(SOURCE).blocks
    assert [each.literal() for each in block.attributes] == [None, None, None, 31.0, True]
    assert parse('a = "x"').attributes[0].literal() == "x"


def test_what_is_referred_to_is_found_inside_texts_calls_and_brackets_too():
    found = references(SOURCE)
    assert {"var.topics", "local.prefix", "each.key", "each.value.direction", "local.one"} <= set(found)
    assert "policy.value.seconds" in found


@pytest.mark.parametrize("name", ["direction", "merge", "for_each"])
def test_keys_and_functions_are_no_references(name):
    assert name not in references(SOURCE)


def test_a_splat_and_an_index_stay_in_the_chain():
    assert references("a = google_x.y[*].id\nb = google_x.z[each.key].name") == [
        "google_x.y.id",
        "google_x.z.name",
        "each.key",
    ]


def test_a_text_may_hold_texts_in_what_is_inserted():
    source = 'a = "x ${join(", ", [for one in var.many : "<${one}>"])} y"\nb = local.c'
    assert {"var.many", "local.c"} <= set(references(source))


def test_a_dollar_that_is_escaped_inserts_nothing():
    assert references('a = "$${var.not_this}"') == []


def test_a_heredoc_is_one_text_and_its_insertions_are_read():
    (first, second) = parse("a = <<-EOT\n  x ${var.one}\n  }\n  EOT\nb = 1\n").attributes
    assert [each.path for each in first.references()] == [("var", "one")]
    assert (second.name, second.line) == ("b", 5)


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("a = 1\nresource {", 2),
        ('a = "open\n', 1),
        ("a = 1\n}\n", 2),
        ("a {\n b = 1\n", 1),
        ("a\n", 1),
        ("a = 1\nb = ~\n", 2),
        ("a = <<EOT\nx\n", 1),
        ('a = "${var.b"\n', 1),
        ("= 1\n", 1),
    ],
)
def test_what_is_not_hcl_is_told_with_its_line(source, line):
    with pytest.raises(Malformed) as refusal:
        parse(source)
    assert refusal.value.line == line


LAID_OUT = """locals {
  uses = merge([
    for key in var.keys : {
      a = key
    }
  ]...)
  text = <<-EOT
 left alone
  EOT
}
"""


def test_what_terraform_fmt_leaves_alone_passes(tmp_path):
    assert list(askew(tmp_path, LAID_OUT)) == []


@pytest.mark.parametrize(
    "spoilt",
    [
        LAID_OUT.replace("  uses", " uses"),
        LAID_OUT.replace("  ]...)", "    ]...)"),
        LAID_OUT.replace("      a", "        a"),
        LAID_OUT.replace("key\n", "key \n"),
        LAID_OUT.replace("  text", "\ttext"),
        LAID_OUT + "\n",
        LAID_OUT.rstrip(),
    ],
)
def test_what_terraform_fmt_would_move_is_told(spoilt, tmp_path):
    assert list(askew(tmp_path, spoilt)) != []
