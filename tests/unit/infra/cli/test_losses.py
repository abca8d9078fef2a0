"""The note of accepted losses, as the commands read it."""

import pytest

from infra.cli.losses import accepted_losses, losses_file


def test_losses_are_read_in_the_order_in_which_they_were_noted(tmp_path):
    losses_file(tmp_path).write_text('{"finding": "one"}\n{"finding": "two"}\n')
    assert [loss["finding"] for loss in accepted_losses(tmp_path)] == ["one", "two"]


@pytest.mark.parametrize("content", [None, b"\xff", b'{"finding'])
def test_a_note_that_cannot_be_read_tells_of_none(tmp_path, content):
    if content is not None:
        losses_file(tmp_path).write_bytes(content)
    assert accepted_losses(tmp_path) == []
