using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;

namespace DroneDelivery.Lab.Operations;

/// <summary>
/// Takes messages out of a place. A dead letter cannot be received by its number, so everything before it is received too, held until the
/// end, and given back: its delivery count rises by one.
/// </summary>
/// <param name="receiver">Of the place; peek-lock.</param>
/// <param name="handle">What is done with a message under its lock, its settlement included.</param>
internal sealed class TakeDeadLetters(ServiceBusReceiver receiver, Func<ServiceBusReceivedMessage, Task> handle)
{
    /// <summary>Few enough that the lock of the last one still holds when it is its turn.</summary>
    private const int Batch = 20;

    private static readonly TimeSpan Wait = TimeSpan.FromSeconds(6);

    private readonly Dictionary<long, ServiceBusReceivedMessage> _others = [];

    /// <returns>Numbers of those that were not to be had: another receiver holds them, or they are gone.</returns>
    /// <exception cref="LabException">The place has more messages than can be held at a time.</exception>
    public async Task<IReadOnlySet<long>> TakeAsync(IEnumerable<long> wanted, CancellationToken cancellationToken)
    {
        var left = wanted.ToHashSet();
        try
        {
            while (
                left.Count > 0
                && await receiver.ReceiveMessagesAsync(Batch, Wait, cancellationToken) is { Count: > 0 } batch
            )
            {
                foreach (var message in batch)
                    await SortAsync(message, left);
                cancellationToken.ThrowIfCancellationRequested();
            }

            return left;
        }
        finally
        {
            foreach (var other in _others.Values)
                await IsSettledAsync(receiver.AbandonMessageAsync(other, cancellationToken: CancellationToken.None));
        }
    }

    private async Task SortAsync(ServiceBusReceivedMessage message, HashSet<long> left)
    {
        if (left.Contains(message.SequenceNumber))
        {
            if (await IsSettledAsync(handle(message)))
                left.Remove(message.SequenceNumber);
        }
        else if (!_others.TryAdd(message.SequenceNumber, message))
        {
            throw new LabException(
                $"{receiver.EntityPath} has {_others.Count} messages before the one that is meant, and their locks end before it is "
                    + "reached. Replay or purge those first, or use --all."
            );
        }
    }

    /// <summary>A lock that has ended is no failure of the place: the message is back already, and is redelivered.</summary>
    private static async Task<bool> IsSettledAsync(Task settlement)
    {
        try
        {
            await settlement;
            return true;
        }
        catch (ServiceBusException exception) when (exception.Reason == ServiceBusFailureReason.MessageLockLost)
        {
            return false;
        }
    }
}

/// <summary>The message that asks for the same once more.</summary>
internal static class ReplayMessage
{
    private const char Separator = '~';
    private const int LongestId = 128;

    /// <summary>What the broker or Workflow wrote down when the message failed. Compared without case: SDKs and brokers differ.</summary>
    private static readonly HashSet<string> Obituary = new(StringComparer.OrdinalIgnoreCase)
    {
        DeadLetter.ReasonProperty,
        DeadLetter.DescriptionProperty,
        DeadLetter.FailedAtProperty,
        "DeadLetterErrorDescription",
        "failureReason",
        "failureDescription",
        "lastFailure",
        "firstFailureAt",
        "problemType",
        "problemDetail",
        QueueMessage.RetriesProperty, // or a cancel that had waited for a day would not wait again
    };

    public static ServiceBusMessage Of(ServiceBusReceivedMessage dead, DeadLetterPlace place)
    {
        var message = new ServiceBusMessage(dead)
        {
            MessageId = IdOf(dead, place),
            CorrelationId = dead.CorrelationId ?? dead.MessageId,
        };
        foreach (var property in message.ApplicationProperties.Keys.Where(Obituary.Contains).ToList())
            message.ApplicationProperties.Remove(property);
        message.ApplicationProperties[QueueMessage.AttemptProperty] = AttemptOf(dead) + 1;
        return message;
    }

    public static int AttemptOf(ServiceBusReceivedMessage message) =>
        message.ApplicationProperties.GetValueOrDefault(QueueMessage.AttemptProperty) switch
        {
            int attempt => attempt,
            long attempt => (int)attempt,
            _ => 0,
        };

    /// <summary>
    /// Another id than the dead letter's, which duplicate detection would drop, and the same one whenever this dead letter is sent: if it
    /// could not be completed after the first time, the second is dropped.
    /// </summary>
    private static string IdOf(ServiceBusReceivedMessage dead, DeadLetterPlace place)
    {
        var first = (dead.MessageId ?? "").Split($"{Separator}{Separator}")[0];
        var id = $"{first}{Separator}{Separator}{place.Tag}-{dead.SequenceNumber}";
        return id.Length <= LongestId ? id : id[^LongestId..];
    }
}
