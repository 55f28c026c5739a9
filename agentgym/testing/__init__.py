"""Checks of environments, suites and sandbox providers, for users to call on their own.

Fakes and fixtures of this project's tests are not here.
"""

from agentgym.testing.check import ENV_CHECKS, SUITE_CHECKS, check_env, check_suite
from agentgym.testing.check_sandbox import SANDBOX_CHECKS, check_sandbox
from agentgym.testing.report import CheckReport, CheckResult

__all__ = [
    "ENV_CHECKS",
    "SANDBOX_CHECKS",
    "SUITE_CHECKS",
    "CheckReport",
    "CheckResult",
    "check_env",
    "check_sandbox",
    "check_suite",
]
