"""The claim keys of consumed events, by the recipes of B §3.

A recipe concatenates its parts without separators, as the specification writes them. That stays unambiguous
because ids carry a prefix, a credential id has a fixed length, and versions are numbers or instants.
"""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from string import Formatter

MOST_REMEMBERED = 512
"""So many claims are not spelt anew: a stay names its own in its record and in its key."""


class RecipeError(ValueError):
    """A claim was asked for without exactly the parts its recipe needs."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one saga step names the work it claims."""

    name: str
    template: str

    @property
    def parts(self) -> frozenset[str]:
        """The names of the parts the recipe concatenates."""
        return frozenset(field for _, field, _, _ in Formatter().parse(self.template) if field)

    def claim(self, **parts: str | int) -> str:
        """The claim key `sha256:<hex>` over exactly this recipe's parts."""
        self._require_exactly(parts)
        text = self.template.format_map(parts)
        return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"

    def _require_exactly(self, given: dict[str, str | int]) -> None:
        blank = {part for part, value in given.items() if value == ""}
        if given.keys() != self.parts or blank:
            wanted = ", ".join(sorted(self.parts))
            raise RecipeError(f"claim {self.name!r} takes exactly the parts {wanted}, none of them empty")


# B §3 writes 'v1' for a first confirmation; a reinstated booking counts on from there and gets its own claim.
_RECIPES = (
    Recipe("issue", "{reservation_id}issuev{incarnation}"),
    Recipe("revoke", "{event_id}{key_credential_id}revoke"),
    Recipe("update", "{reservation_id}update{version}"),
    Recipe("suspend-noshow", "{reservation_id}suspend-noshow"),
    Recipe("suspend-fraud", "{reservation_id}suspend-fraud"),
    Recipe("issue-master", "{shift_id}issue-master"),
    Recipe("revoke-master", "{shift_id}revoke-master"),
    Recipe("mass-revoke-iam", "{user_id}mass-revoke-iam"),
    Recipe("mass-revoke-property", "{property_id}mass-revoke-property"),
)
RECIPES = {recipe.name: recipe for recipe in _RECIPES}


@lru_cache(MOST_REMEMBERED, typed=True)
def claim_key(recipe: str, **parts: str | int) -> str:
    """The claim key of a named recipe over its parts."""
    if recipe not in RECIPES:
        raise RecipeError(f"unknown recipe {recipe!r}; there are {', '.join(sorted(RECIPES))}")
    return RECIPES[recipe].claim(**parts)
