"""What `[privacy] hide` leaves out: propsync cuts it from history, and keeps the whole records in a second file."""

from propsync.merge.hiding.apart import Apart
from propsync.merge.hiding.cutting import cut_rejected, lot_of
from propsync.merge.hiding.documents import forget_contents
from propsync.merge.hiding.lines import HiddenField, check_lines, mark_of
from propsync.merge.hiding.run_log import DOCUMENT_ISSUES
from propsync.merge.hiding.second_file import HIDDEN_FILES, KEPT, note_latest, remembered
from propsync.merge.hiding.state import Hiding
from propsync.merge.hiding.unmatched import Unmatched

__all__ = [
    "DOCUMENT_ISSUES",
    "HIDDEN_FILES",
    "KEPT",
    "Apart",
    "HiddenField",
    "Hiding",
    "Unmatched",
    "check_lines",
    "cut_rejected",
    "forget_contents",
    "lot_of",
    "mark_of",
    "note_latest",
    "remembered",
]
