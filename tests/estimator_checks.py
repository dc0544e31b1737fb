"""The checks of scikit-learn that the estimators do not pass, and why: for the tests, and for the documentation's page."""

IN_OTHER_WORDS = "the data are refused with a ValueError, as they should be, but the check looks for scikit-learn's words in it"

UNFIT = {
    "check_array_api_input": "scikit-learn itself leaves it out unless SCIPY_ARRAY_API is set",
    "check_complex_data": IN_OTHER_WORDS,
    "check_estimators_dtypes": "its labels are numbers such as -2 and -1, where 0 and 1 are asked for",
    "check_estimators_empty_data_messages": f"{IN_OTHER_WORDS}; methods that only repeat or drop rows need no features at all",
    "check_fit2d_1sample": f"{IN_OTHER_WORDS}; methods that need no neighbours pass",
    "check_requires_y_none": IN_OTHER_WORDS,
}
"""By the name of the check."""
