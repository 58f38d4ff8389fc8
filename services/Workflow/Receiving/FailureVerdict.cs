using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Workflow.Receiving;

/// <summary>What a failure does to its message. The only place that knows <see cref="FailurePolicy"/>.</summary>
internal sealed class FailureVerdict(IOptions<WorkflowOptions> options, TimeProvider time)
{
    // Doubled from a second on, some 17 minutes: longer than the delivery is tried that the message waits for.
    private const int MostPostponements = 10;

    private readonly WorkflowOptions _options = options.Value;

    public Settlement Of(Exception failure, ServiceBusReceivedMessage message) => failure switch
    {
        PermanentFailureException permanent => new Settlement.DeadLetter(permanent.Reason, permanent.Message),
        // No failure of anybody, so no policy applies: the delivery itself is on its way.
        NotRecordedYetException => Postpone(failure.Message, message),
        _ when _options.FailurePolicy == FailurePolicy.DeadLetter => new Settlement.DeadLetter("HandlingFailed", Describe(failure)),
        _ => new Settlement.Abandon(DelayOf(message), Describe(failure)),
    };

    /// <summary>For a message that met an outage: no failure of its own, so it uses up neither deliveries nor postponements.</summary>
    public Settlement PutOff(string cause, ServiceBusReceivedMessage message) =>
        new Settlement.Postpone(_options.PostponeDelay, TimesPostponed(message), cause);

    /// <returns>What to try instead of a settlement that failed; null: nothing, the message comes back when its lock ends.</returns>
    /// <remarks>
    /// The original's handler dead-letters whatever fails, and completing is a part of it. So in the collapse of stage 4, where every
    /// Complete meets a lost lock, it adds a second call that is bound to fail. The stages count those calls.
    /// </remarks>
    public Settlement? Instead(Settlement failed, Exception failure) =>
        failed is Settlement.Complete && _options.FailurePolicy == FailurePolicy.DeadLetter
            ? new Settlement.DeadLetter("CompleteFailed", Describe(failure))
            : null;

    /// <summary>
    /// Waiting is for the queue: a few cancels of deliveries that nobody knows would take every handler's place. In the end there is
    /// nothing to undo and nothing for an operator to do, so nothing is kept: anybody can send any number of them.
    /// </summary>
    private Settlement Postpone(string cause, ServiceBusReceivedMessage message)
    {
        var times = TimesPostponed(message);
        return times < MostPostponements
            ? new Settlement.Postpone(TimeSpan.FromSeconds(BackoffSeconds(_options.PostponeDelay, times)), times + 1, cause)
            : new Settlement.Complete();
    }

    private static int TimesPostponed(ServiceBusReceivedMessage message) =>
        message.ApplicationProperties.GetValueOrDefault(QueueMessage.PostponedProperty) is int before ? before : 0;

    private TimeSpan DelayOf(ServiceBusReceivedMessage message)
    {
        var bound = (message.LockedUntil - time.GetUtcNow()).TotalSeconds / 2;
        return TimeSpan.FromSeconds(Math.Max(0, Math.Min(BackoffSeconds(_options.AbandonDelay, message.DeliveryCount - 1), bound)));
    }

    private static double BackoffSeconds(TimeSpan first, int failuresBefore) => first.TotalSeconds * Math.Pow(2, failuresBefore);

    private static string Describe(Exception failure) => $"{failure.GetType().Name}: {failure.Message}";
}
