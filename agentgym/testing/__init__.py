"""Checks of environments and suites: what every registered one must satisfy, for users to call on their own.

Fakes and fixtures of this project's tests are not here.
"""

from agentgym.testing.check import ENV_CHECKS, SUITE_CHECKS, check_env, check_suite
from agentgym.testing.report import CheckReport, CheckResult

__all__ = ["ENV_CHECKS", "SUITE_CHECKS", "CheckReport", "CheckResult", "check_env", "check_suite"]
