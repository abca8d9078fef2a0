"""Schedules: cron in a named zone calling functions, with what Cloud Scheduler promises and no more."""

from infra.local.schedules.rows import SCHEMA
from infra.local.schedules.schedules import Schedules, ScheduleStatus
from infra.local.schedules.specs import ScheduleSpec
from shared.ports.schedules import UnknownSchedule

__all__ = ["SCHEMA", "ScheduleSpec", "ScheduleStatus", "Schedules", "UnknownSchedule"]
