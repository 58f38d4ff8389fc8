using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;
using DroneDelivery.Workflow.Calls;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.Receiving;

/// <summary>Chooses the settlement of a failed message, by the table in docs/explanation/failures.md.</summary>
internal sealed class Recoverability(IOptions<WorkflowOptions> workflow, TimeProvider time)
{
    /// <summary>Application properties of a retried message.</summary>
    public const string LastFailure = "lastFailure",
        FirstFailureAt = "firstFailureAt";

    /// <summary>Application properties of a dead letter that contain the service's problem.</summary>
    public const string ProblemType = "problemType",
        ProblemDetail = "problemDetail";

    private const int MaxDoublings = 10;

    // The delivery may itself be retried, or wait behind a backlog.
    private static readonly TimeSpan MaxWaitForDelivery = TimeSpan.FromDays(1);

    private readonly WorkflowOptions _options = workflow.Value;

    public Settlement ChooseSettlement(Exception failure, ServiceBusReceivedMessage message)
    {
        if (failure is OperationCanceledException)
            return Interrupted();
        // Dropped, because clients can send any number of cancellations for unknown deliveries.
        if (failure is PermanentFailureException { Reason: PermanentFailureException.Obsolete })
            return new Settlement.Complete(IsDone: false);
        if (IsEarly(failure, message))
            return FindRetry(failure, message, MaxWaitForDelivery) ?? (Settlement)new Settlement.Complete(false);
        if (failure is PermanentFailureException permanent)
            return DeadLetterOf(permanent);
        return FindRetry(failure, message, _options.RetryFor)
            ?? (Settlement)new Settlement.DeadLetter("HandlingFailed", Describe(failure));
    }

    /// <summary>Returns the settlement for a pause or a shutdown, which doesn't count as a failure.</summary>
    public Settlement.Postpone Interrupted() => new(_options.RetryDelay);

    /// <param name="isFirst">Whether to ignore earlier failures, which had other causes.</param>
    /// <returns><c>null</c> if the message has been retried for <paramref name="limit"/>.</returns>
    public Settlement.Postpone? FindRetry(
        Exception failure,
        ServiceBusReceivedMessage message,
        TimeSpan limit,
        bool isFirst = false
    )
    {
        var now = time.GetUtcNow().UtcDateTime;
        var firstFailure = isFirst
            ? null
            : message.ApplicationProperties.GetValueOrDefault(FirstFailureAt) as DateTime?;
        if (now - (firstFailure ?? now) >= limit)
            return null;
        var retries = firstFailure is null ? 0 : RetriesOf(message);
        return new(_options.RetryDelay * Math.Pow(2, Math.Min(retries, MaxDoublings)))
        {
            Properties =
            {
                [QueueMessage.RetriesProperty] = retries + 1,
                [FirstFailureAt] = firstFailure ?? now,
                [LastFailure] = Settlement.Truncate(Describe(failure)),
            },
        };
    }

    /// <returns>The settlement to try after a failed Complete; <c>null</c> for a redelivery.</returns>
    public Settlement? AfterFailedComplete(Exception failure) =>
        _options.RetryFor == TimeSpan.Zero ? new Settlement.DeadLetter("CompleteFailed", Describe(failure)) : null;

    public static int RetriesOf(ServiceBusReceivedMessage message) =>
        message.ApplicationProperties.GetValueOrDefault(QueueMessage.RetriesProperty) is int retries ? retries : 0;

    /// <returns>The exception if it indicates a bug; otherwise, <c>null</c>.</returns>
    public static Exception? FindBug(Exception failure) =>
        failure
            is PermanentFailureException
                or HttpRequestException
                or ServiceBusException
                or UnauthorizedAccessException
            ? null
            : failure;

    private static bool IsEarly(Exception failure, ServiceBusReceivedMessage message) =>
        failure is PermanentFailureException { Problem.Status: StatusCodes.Status404NotFound }
        && RequestMessage.OperationOf(message) is QueueMessage.Cancel or QueueMessage.Reschedule;

    private static Settlement.DeadLetter DeadLetterOf(PermanentFailureException failure)
    {
        var settlement = new Settlement.DeadLetter(failure.Reason, failure.Message);
        if (failure.Problem is { Type: { } type } problem)
        {
            settlement.Properties[ProblemType] = type;
            settlement.Properties[ProblemDetail] = Settlement.Truncate(problem.Detail ?? problem.Title ?? "");
        }
        return settlement;
    }

    private static string Describe(Exception failure) => $"{failure.GetType().Name}: {failure.Message}";
}
