using System.Net;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Calls;
using DroneDelivery.Contracts;
using DroneDelivery.Workflow.Calls;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.Receiving;

/// <summary>
/// What happens to a message whose handling failed: the table of docs/explanation/failures.md. Its first two rows are the permanent
/// failures, the third an interruption, the next two the outage, the last the message's own fault.
/// </summary>
/// <remarks>
/// A message that fails may meet an outage, or may be the cause. It is the cause if, since it failed before, another message for the same
/// operation was handled; or if a service answered (500, not 503), and few different messages have failed since one was handled. While a
/// circuit is open that is no proof: the message is postponed, and only its twentieth failure ends it.
/// </remarks>
internal sealed class Recoverability(
    IOptions<WorkflowOptions> workflow,
    IOptions<ResilienceOptions> calls,
    Circuits circuits,
    TimeProvider time
)
{
    /// <summary>Application properties: why it failed, when, and how often by its own fault.</summary>
    public const string LastFailure = "lastFailure",
        LastFailureAt = "lastFailureAt",
        Failures = "failures";

    /// <summary>Application properties of a dead letter: the problem with which a service has refused its request.</summary>
    public const string ProblemType = "problemType",
        ProblemDetail = "problemDetail";

    // A postponed message begins with a delivery count of 0, so the queue alone would not end one that fails and is postponed in turn.
    private const int MostFailures = 20;

    // Doubled from a second to 17 minutes, 26 hours in all. A delivery may itself be postponed, for as long as an outage lasts.
    private const int MostWaits = 100;

    private readonly WorkflowOptions _options = workflow.Value;
    private readonly Dictionary<string, Operation> _operations = new[]
    {
        QueueMessage.Delivery,
        QueueMessage.Reschedule,
        QueueMessage.Cancel,
        "",
    }.ToDictionary(name => name, _ => new Operation());

    /// <summary>A message was handled: the services serve its operation.</summary>
    public void Handled(ServiceBusReceivedMessage message)
    {
        var operation = OperationOf(message);
        lock (operation)
        {
            operation.LastSuccess = time.GetUtcNow().UtcDateTime;
            operation.Failed.Clear();
        }
    }

    /// <returns>The row of the table.</returns>
    public Settlement Of(Exception failure, ServiceBusReceivedMessage message) =>
        failure switch
        {
            PermanentFailureException { Problem.Status: StatusCodes.Status404NotFound }
                when RequestMessage.OperationOf(message) is QueueMessage.Cancel or QueueMessage.Reschedule =>
                WaitForDelivery(failure, message),
            PermanentFailureException permanent => DeadLetterOf(permanent),
            OperationCanceledException => new Settlement.Postpone(_options.PostponeDelay), // an outage began, or the process ends
            _ => MayPass(failure, message),
        };

    /// <returns>What to try instead of a settlement that failed; null: nothing, the message is delivered again.</returns>
    /// <remarks>The original dead-letters whatever fails, a Complete included. In stage 4, where every Complete meets a lost lock, that is
    /// a second call that must fail, and the stage counts it.</remarks>
    public Settlement? AfterFailed(Settlement settlement, Exception failure) =>
        settlement is Settlement.Complete && _options.FailurePolicy == FailurePolicy.DeadLetter
            ? new Settlement.DeadLetter("CompleteFailed", Describe(failure))
            : null;

    private static Settlement.DeadLetter DeadLetterOf(PermanentFailureException failure)
    {
        var settlement = new Settlement.DeadLetter(failure.Reason, failure.Message);
        if (failure.Problem is { Type: { } type } problem)
        {
            settlement.Properties[ProblemType] = type;
            settlement.Properties[ProblemDetail] = Settlement.Cut(problem.Detail ?? problem.Title ?? "");
        }
        return settlement;
    }

    private Settlement MayPass(Exception failure, ServiceBusReceivedMessage message)
    {
        var failures =
            CountOf(message, Failures) + (!_options.HoldDuringOutage || IsOwnFault(failure, message) ? 1 : 0);
        var properties = new Dictionary<string, object>
        {
            [LastFailure] = Describe(failure),
            [LastFailureAt] = time.GetUtcNow().UtcDateTime,
            [Failures] = failures,
        };
        if (_options.HoldDuringOutage && failures >= MostFailures)
            return new Settlement.DeadLetter("FailedTooOften", Describe(failure));
        if (_options.HoldDuringOutage && (failures == CountOf(message, Failures) || circuits.Broken.Count > 0))
            return new Settlement.Postpone(_options.PostponeDelay) { Properties = properties };
        return _options.FailurePolicy == FailurePolicy.DeadLetter
            ? new Settlement.DeadLetter("HandlingFailed", Describe(failure))
            : new Settlement.Abandon(Doubled(_options.AbandonDelay, message.DeliveryCount - 1))
            {
                Properties = properties,
            };
    }

    /// <summary>After a day there is nothing to undo and nothing for an operator to do, so nothing is kept: anybody can send any number of
    /// cancels for deliveries that nobody knows.</summary>
    private Settlement WaitForDelivery(Exception failure, ServiceBusReceivedMessage message)
    {
        var times = CountOf(message, QueueMessage.PostponedProperty);
        return times >= MostWaits
            ? new Settlement.Complete(IsDone: false)
            : new Settlement.Postpone(Doubled(_options.PostponeDelay, times))
            {
                Properties = new Dictionary<string, object>
                {
                    [QueueMessage.PostponedProperty] = times + 1,
                    [LastFailure] = failure.Message,
                },
            };
    }

    /// <returns>False: the message meets an outage, of the broker too, or its handler was cancelled because one began.</returns>
    public bool IsOwnFault(Exception failure, ServiceBusReceivedMessage message)
    {
        if (failure is OperationCanceledException or ServiceBusException or UnauthorizedAccessException)
            return false;
        var operation = OperationOf(message);
        lock (operation)
        {
            var failedBefore = message.ApplicationProperties.GetValueOrDefault(LastFailureAt) as DateTime?;
            if (failedBefore < operation.LastSuccess)
                return true;
            if (circuits.Broken.Count > 0)
                return false;
            if (failure is not HttpRequestException call)
                return true;
            if (message.DeadLetterReason is null && operation.Failed.Count < calls.Value.BreakerMinimumThroughput)
                operation.Failed.Add(message.CorrelationId ?? message.MessageId);
            var haveManyFailed =
                operation.Failed.Count == calls.Value.BreakerMinimumThroughput && calls.Value.BreakerFailureRatio > 0;
            // Any other answer is no fault of the request: the service cannot serve now, or not this caller, or something else answers.
            return !haveManyFailed && call.StatusCode == HttpStatusCode.InternalServerError;
        }
    }

    private Operation OperationOf(ServiceBusReceivedMessage message) =>
        _operations.GetValueOrDefault(RequestMessage.OperationOf(message) ?? "", _operations[""]);

    /// <returns>For the log, which needs the stack trace of a defect of ours; null: it is none.</returns>
    public static Exception? DefectIn(Exception failure) =>
        failure
            is PermanentFailureException
                or HttpRequestException
                or ServiceBusException
                or UnauthorizedAccessException
            ? null
            : failure;

    public static TimeSpan Doubled(TimeSpan first, int times) => first * Math.Pow(2, Math.Clamp(times, 0, 10));

    public static int CountOf(ServiceBusReceivedMessage message, string property) =>
        message.ApplicationProperties.GetValueOrDefault(property) is int before ? before : 0;

    private static string Describe(Exception failure) => $"{failure.GetType().Name}: {failure.Message}";

    /// <summary>How the messages of one operation fare in this process.</summary>
    private sealed class Operation
    {
        public DateTime LastSuccess { get; set; }

        /// <summary>Different messages of the queue that have failed since, as far as they are needed to tell few from many.</summary>
        public HashSet<string> Failed { get; } = [];
    }
}
