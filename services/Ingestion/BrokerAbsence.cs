using Azure.Messaging.ServiceBus;

namespace DroneDelivery.Ingestion;

/// <summary>
/// Whether the broker is known to be away: nobody else need wait for what a send has just waited for in vain. One send at a time, and not
/// before a pause, finds out whether it is back. Thread-safe.
/// </summary>
internal sealed class BrokerAbsence(TimeSpan sendTimeout, TimeProvider time)
{
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);

    // Timestamps. 0: the broker is there as far as is known.
    private long _nextTry;
    private long _answered;

    /// <param name="began">When the send begins, for <see cref="Failed"/>.</param>
    /// <returns>False: it would wait in vain.</returns>
    public bool MayTry(out long began)
    {
        began = time.GetTimestamp();
        var nextTry = Volatile.Read(ref _nextTry);
        // The next try after this one comes when this one has ended, even if nobody says how.
        return nextTry == 0
            || nextTry <= began
                && Interlocked.CompareExchange(ref _nextTry, After(sendTimeout + Pause), nextTry) == nextTry;
    }

    public void Answered()
    {
        Volatile.Write(ref _answered, time.GetTimestamp());
        if (Volatile.Read(ref _nextTry) != 0)
            Volatile.Write(ref _nextTry, 0);
    }

    /// <summary>A send has failed. That it is not the only one that would is known if none has been answered since it began.</summary>
    public void Failed(Exception exception, long began)
    {
        if (!IsOfConnection(exception))
            Answered();
        else if (Volatile.Read(ref _answered) < began)
            Volatile.Write(ref _nextTry, After(Pause));
    }

    private static bool IsOfConnection(Exception exception) =>
        exception
            is OperationCanceledException
                or ServiceBusException
                {
                    Reason: ServiceBusFailureReason.ServiceCommunicationProblem
                        or ServiceBusFailureReason.ServiceTimeout
                };

    private long After(TimeSpan wait) => time.GetTimestamp() + (long)(wait.TotalSeconds * time.TimestampFrequency);
}
