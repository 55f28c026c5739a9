"""The console of a company that runs vending machines: tables, bulk edits, charts, a job calendar, people and roles."""
