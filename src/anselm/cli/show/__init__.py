"""What people see in a terminal: ranked tables with probability bars, answers in their context, reports, progress."""

from anselm.cli.show.answered import show_answered
from anselm.cli.show.bars import progress, steps, waiting
from anselm.cli.show.question_rows import show_questions
from anselm.cli.show.rankings import show_answers, show_ranking
from anselm.cli.show.reports import show_comparison, show_refit, show_report
from anselm.cli.show.robustness_reports import show_distracted, show_robustness
from anselm.cli.show.tables import show_table, shown

__all__ = [
    "progress",
    "show_answered",
    "show_answers",
    "show_comparison",
    "show_distracted",
    "show_questions",
    "show_ranking",
    "show_refit",
    "show_report",
    "show_robustness",
    "show_table",
    "shown",
    "steps",
    "waiting",
]
