"""The vendors that are installed are found by their folders, and are opened by their codes."""

import inspect
from importlib import import_module

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.kinds import VendorCode
from shared.vendor_kit.registry import installed_vendors, opener_of, tells_attempts
from tests.support.vendors import TTLOCK


def test_installed_vendors_are_the_folders():
    assert {"mock", TTLOCK} <= set(installed_vendors())
    assert list(installed_vendors()) == sorted(installed_vendors())


@pytest.mark.parametrize("vendor", installed_vendors())
def test_every_installed_vendor_is_opened_alike(vendor):
    assert list(inspect.signature(opener_of(vendor)).parameters) == ["binding", "ports"]


@pytest.mark.parametrize("vendor", installed_vendors())
def test_a_vendor_says_that_its_doors_tell_who_opened_them_just_where_its_adapter_lists_that(vendor):
    adapter = import_module(opener_of(vendor).__module__)
    lists = any(hasattr(each, "list_attempts") for _, each in inspect.getmembers(adapter, inspect.isclass))
    assert tells_attempts(vendor) is lists


def test_vendor_nobody_installed_is_refused_with_those_there_are():
    with pytest.raises(InvalidInput, match="ttlock"):
        opener_of(VendorCode("nobody"))
