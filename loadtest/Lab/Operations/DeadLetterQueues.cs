using Azure;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Lab.Run;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Operations;

/// <summary>The places of one queue's dead letters, through what every Service Bus offers to who may send and listen.</summary>
/// <param name="queue">The queue that Workflow receives from; replays go there.</param>
/// <param name="failedQueue">Where Workflow puts the requests that failed.</param>
internal sealed class DeadLetterQueues(BusConnection bus, string queue, string failedQueue) : IAsyncDisposable
{
    /// <summary>What is read of a place at most, oldest first.</summary>
    public const int Most = 10_000;

    private const int Page = 250;

    private readonly ServiceBusClient _client = bus.CreateClient();

    /// <summary>Looks at all dead letters and changes nothing: messages that are peeked have no lock and no delivery more.</summary>
    /// <exception cref="LabException">There is no such queue, or the Service Bus refuses.</exception>
    public Task<IReadOnlyList<DeadLetter>> ListAsync(
        Action<string> notice,
        Action<int> found,
        CancellationToken cancellationToken
    ) =>
        AskAsync(async () =>
        {
            var letters = new List<DeadLetter>();
            foreach (var place in DeadLetterPlace.All(queue, failedQueue))
            {
                try
                {
                    await PeekAsync(place, letters, notice, found, cancellationToken);
                }
                catch (ServiceBusException exception) when (IsMissing(exception) && place.Queue == failedQueue)
                {
                    notice(
                        $"There is no queue {failedQueue} on {bus.Host}: only the dead-letter queue of {queue} is read."
                    );
                    break; // what belongs to a queue that is missing is missing too
                }
            }
            return (IReadOnlyList<DeadLetter>)
                [.. letters.OrderBy(letter => letter.Since).ThenBy(letter => letter.SequenceNumber)];
        });

    /// <returns>The message with its body; null: it is gone.</returns>
    public Task<ServiceBusReceivedMessage?> ReadAsync(DeadLetter letter, CancellationToken cancellationToken) =>
        AskAsync(async () =>
        {
            await using var receiver = Receiver(letter.Origin);
            var message = await receiver.PeekMessageAsync(letter.SequenceNumber, cancellationToken);
            return message?.SequenceNumber == letter.SequenceNumber ? message : null;
        });

    /// <summary>Sends each to the queue again, and completes the dead letter when the broker has acknowledged that.</summary>
    /// <returns>Those that were not to be had.</returns>
    public async Task<IReadOnlyList<DeadLetter>> ReplayAsync(
        IReadOnlyList<DeadLetter> letters,
        Action done,
        CancellationToken cancellationToken
    )
    {
        await using var sender = _client.CreateSender(queue);
        return await TakeAsync(
            letters,
            (message, place) => sender.SendMessageAsync(ReplayMessage.Of(message, place), CancellationToken.None),
            done,
            cancellationToken
        );
    }

    /// <summary>Completes each: it is gone for good.</summary>
    public Task<IReadOnlyList<DeadLetter>> PurgeAsync(
        IReadOnlyList<DeadLetter> letters,
        Action done,
        CancellationToken cancellationToken
    ) => TakeAsync(letters, (_, _) => Task.CompletedTask, done, cancellationToken);

    public ValueTask DisposeAsync() => _client.DisposeAsync();

    private ServiceBusReceiver Receiver(DeadLetterPlace place) => _client.CreateReceiver(place.Queue, place.Receiver);

    private async Task PeekAsync(
        DeadLetterPlace place,
        List<DeadLetter> letters,
        Action<string> notice,
        Action<int> found,
        CancellationToken cancellationToken
    )
    {
        await using var receiver = Receiver(place);
        var (before, next) = (letters.Count, 0L);
        while (await receiver.PeekMessagesAsync(Page, next, cancellationToken) is { Count: > 0 } page)
        {
            letters.AddRange(page.Select(message => DeadLetter.Of(message, place)));
            found(letters.Count);
            next = page[^1].SequenceNumber + 1;
            if (letters.Count - before < Most)
                continue;
            notice(
                $"Only the oldest {letters.Count - before} messages of {place.Path} are read. Replay or purge them to see the others."
            );
            return;
        }
    }

    private Task<IReadOnlyList<DeadLetter>> TakeAsync(
        IReadOnlyList<DeadLetter> letters,
        Func<ServiceBusReceivedMessage, DeadLetterPlace, Task> first,
        Action done,
        CancellationToken cancellationToken
    ) =>
        AskAsync(async () =>
        {
            var left = new List<DeadLetter>();
            foreach (var those in letters.GroupBy(letter => letter.Origin))
            {
                await using var receiver = Receiver(those.Key);
                var take = new TakeDeadLetters(receiver, async message =>
                {
                    await first(message, those.Key);
                    await receiver.CompleteMessageAsync(message, CancellationToken.None);
                    done();
                });
                var numbers = await take.TakeAsync(those.Select(letter => letter.SequenceNumber), cancellationToken);
                left.AddRange(those.Where(letter => numbers.Contains(letter.SequenceNumber)));
            }
            return (IReadOnlyList<DeadLetter>)left;
        });

    private async Task<T> AskAsync<T>(Func<Task<T>> ask)
    {
        try
        {
            return await ask();
        }
        catch (ServiceBusException exception) when (IsMissing(exception))
        {
            throw new BadInputException($"There is no queue {queue} on {bus.Host}.{await NearestAsync()}");
        }
        catch (UnauthorizedAccessException exception)
        {
            throw new LabException(
                $"This connection may not listen to {queue} and {failedQueue}, or not send: {exception.Message}"
            );
        }
        catch (ServiceBusException exception)
        {
            throw new LabException($"{bus.Host}: {exception.GetBaseException().Message}");
        }
    }

    /// <summary>Only who may manage the Service Bus can ask it for its queues; others have no need to.</summary>
    private async Task<string> NearestAsync()
    {
        try
        {
            var names = new List<string>();
            await foreach (var other in bus.CreateAdministrationClient().GetQueuesAsync())
                names.Add(other.Name);
            return Nearest.To(queue, names) is { Count: > 0 } near ? $" Did you mean {string.Join(" or ", near)}?" : "";
        }
        catch (Exception exception)
            when (exception
                    is ServiceBusException
                        or RequestFailedException
                        or UnauthorizedAccessException
                        or AggregateException
                        or HttpRequestException
            )
        {
            return " Name another with --queue.";
        }
    }

    private static bool IsMissing(ServiceBusException exception) =>
        exception.Reason == ServiceBusFailureReason.MessagingEntityNotFound;
}
