namespace DroneDelivery.Tracking.Tables;

internal enum TableFailure
{
    /// <summary>Later it may work.</summary>
    Unavailable,

    /// <summary>The table does not exist, or no longer.</summary>
    NoTable,

    /// <summary>It will never take this.</summary>
    Refused,
}

internal sealed class TableServerException(TableFailure failure, string message, Exception inner) : Exception(message, inner)
{
    public TableFailure Failure { get; } = failure;

    /// <param name="status">The status of the answer; 0 if there was none.</param>
    /// <param name="code">The error code of Table Storage.</param>
    /// <param name="exception">The client's.</param>
    public static TableServerException Of(int status, string? code, Exception exception) => new(
        status switch
        {
            StatusCodes.Status404NotFound => TableFailure.NoTable,
            StatusCodes.Status400BadRequest or StatusCodes.Status413PayloadTooLarge or StatusCodes.Status414UriTooLong
                or StatusCodes.Status431RequestHeaderFieldsTooLarge or StatusCodes.Status501NotImplemented => TableFailure.Refused,
            // Keys that are wrong, too: the operator mends them.
            _ => TableFailure.Unavailable,
        },
        // The client's words have an id of each request, and would be another cause every time.
        status == 0 ? $"No answer: {exception.Message}" : $"Status {status}{(code is null ? "" : $", {code}")}",
        exception);
}
