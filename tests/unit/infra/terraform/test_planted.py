"""Every kind of mistake that Terraform or the provider would refuse is caught without either."""

import pytest

from infra.codegen.terraform_pages import generate, problems
from infra.manifest.load import ROOT
from infra.terraform.schema import schema_of

GOOD = {
    "terraform/modules/topic/main.tf": """# One topic.

resource "google_pubsub_topic" "this" {
  for_each = var.topics

  project                    = var.project_id
  name                       = each.key
  message_retention_duration = "${each.value * 86400}s"

  message_storage_policy {
    allowed_persistence_regions = ["europe-west6"]
  }
}

resource "google_pubsub_subscription" "this" {
  name  = "on-${local.name}"
  topic = google_pubsub_topic.this["a"].id

  dynamic "push_config" {
    for_each = var.url[*]

    content {
      push_endpoint = push_config.value
    }
  }
}

resource "google_firestore_database" "this" {
  name        = "keyfleet"
  location_id = "europe-west6"
  type        = "FIRESTORE_NATIVE"
}

data "google_project" "this" {
  project_id = var.project_id
}

locals {
  name = data.google_project.this.number
}
""",
    "terraform/modules/topic/variables.tf": """variable "topics" {
  description = "Topics, each with its days."
  type        = map(number)
}

variable "project_id" {
  description = "The project."
  type        = string
}

variable "url" {
  description = "Where to push."
  type        = string
  default     = null
}
""",
    "terraform/modules/topic/outputs.tf": """output "ids" {
  description = "The ids."
  value       = [for topic in google_pubsub_topic.this : topic.id]
}
""",
    "terraform/environments/dev/main.tf": """module "topic" {
  source = "../../modules/topic"

  topics     = { a = 7 }
  project_id = "hotel-locks"
}

output "ids" {
  description = "The ids."
  value       = module.topic.ids
}
""",
}
MAIN, VARIABLES = "terraform/modules/topic/main.tf", "terraform/modules/topic/variables.tf"
DEV = "terraform/environments/dev/main.tf"
TWICE = """  message_storage_policy {
    allowed_persistence_regions = ["a"]
  }"""
PLANTED = {
    "a misspelt resource": (MAIN, "google_pubsub_subscription", "google_pubsub_subscripton", "did you mean"),
    "a misspelt argument": (MAIN, "message_retention_duration", "message_retention", "is no argument"),
    "a misspelt argument inside a block": (
        MAIN,
        "allowed_persistence_regions",
        "allowed_regions",
        "no argument",
    ),
    "a misspelt block": (MAIN, "message_storage_policy", "storage_policy", "is not known"),
    "a misspelt argument inside a dynamic block": (MAIN, "push_endpoint", "endpoint", "is no argument"),
    "an argument that is missing": (MAIN, '  location_id = "europe-west6"\n', "", "location_id is missing"),
    "a word that the enumeration does not have": (MAIN, "FIRESTORE_NATIVE", "FIRESTORE", "must be one of"),
    "a text where a list is asked for": (MAIN, '["europe-west6"]', '"europe-west6"', "must be a set"),
    "a list where a text is asked for": (MAIN, '"keyfleet"', '["keyfleet"]', "must be a string"),
    "what is only told": (
        MAIN,
        'name        = "keyfleet"',
        'name        = "a"\n  uid         = "b"',
        "told by Google",
    ),
    "a block that stands twice": (
        MAIN,
        "  message_storage_policy {\n",
        f"{TWICE}\n\n  message_storage_policy {{\n",
        "may stand 1 times",
    ),
    "a variable nobody declared": (MAIN, "var.topics", "var.topic", "var.topic is not declared"),
    "a local nobody declared": (MAIN, "on-${local.name}", "on-${local.title}", "local.title is not declared"),
    "a resource nobody declared": (
        MAIN,
        'google_pubsub_topic.this["a"]',
        'google_pubsub_topic.that["a"]',
        "is not declared",
    ),
    "an attribute the resource has not": (MAIN, 'this["a"].id', 'this["a"].arn', "has no arn"),
    "a lookup's attribute that is not there": (MAIN, "this.number", "this.digits", "has no digits"),
    "each without for_each": (MAIN, "  for_each = var.topics\n\n", "", "each means nothing"),
    "a variable nobody uses": (MAIN, "var.url[*]", '["x"]', "var.url is used by nothing"),
    "a variable without a type": (VARIABLES, "  type        = map(number)\n", "", "has no type"),
    "a variable of any type": (VARIABLES, "map(number)", "any", "has no type"),
    "a variable without a description": (
        VARIABLES,
        '  description = "The project."\n',
        "",
        "has no description",
    ),
    "a call that gives what is not taken": (DEV, "project_id =", "project    =", "takes no project"),
    "a call that does not give what is needed": (DEV, "  topics     = { a = 7 }\n", "", "needs topics"),
    "a call of a folder that is not there": (DEV, "modules/topic", "modules/topics", "no such folder"),
    "an output that the module does not give": (
        DEV,
        "module.topic.ids",
        "module.topic.names",
        "gives no names",
    ),
    "a module that is not called": (DEV, "module.topic.ids", "module.topics.ids", "is not called"),
    "a line askew": (MAIN, "  name  = ", "   name  = ", "indented by 3"),
    "a brace too many": (MAIN, "locals {", "locals {{", "where a name was expected"),
}


@pytest.fixture
def tree(tmp_path):
    for path, text in GOOD.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def test_this_repository_s_files_are_as_the_provider_takes_them():
    assert problems(ROOT) == []


def test_what_is_right_passes(tree):
    assert problems(tree) == []


@pytest.mark.parametrize("mistake", PLANTED)
def test_a_planted_mistake_is_caught_and_named(mistake, tree):
    path, right, wrong, said = PLANTED[mistake]
    assert GOOD[path].count(right) >= 1
    (tree / path).write_text(GOOD[path].replace(right, wrong, 1))
    assert any(said in problem and str(path).rpartition("/")[0] in problem for problem in problems(tree))


def test_a_page_tells_what_its_folder_takes_makes_and_gives():
    (page,) = (text for path, text in generate().items() if path.match("modules/triggers/README.md"))
    assert "| `google_pubsub_subscription.this` | one each of `var.subscriptions` |" in page
    assert "| `base_url` |" in page
    assert "| `parked` |" in page


def test_the_schema_knows_what_must_be_given_and_what_is_only_told():
    database = schema_of("google").resources["google_firestore_database"]
    assert database.arguments["location_id"].needed
    assert not database.arguments["uid"].given
    assert "FIRESTORE_NATIVE" in database.arguments["type"].words
