using Azure;
using Azure.Messaging.ServiceBus;
using Azure.Messaging.ServiceBus.Administration;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Load;

namespace DroneDelivery.Lab.Run;

/// <summary>A queue's properties from the management API.</summary>
internal sealed record QueueState(TimeSpan LockDuration, int MaxDeliveryCount, long Messages, long DeadLetters);

/// <summary>The queue of a target, through APIs that every Service Bus supports.</summary>
internal sealed class TargetQueue(BusConnection connection, TimeProvider clock) : IAsyncDisposable
{
    private const string Name = BrokerCounters.QueueName;
    private const int Batch = 1000;
    private static readonly TimeSpan MaxWait = TimeSpan.FromSeconds(60),
        Wait = TimeSpan.FromSeconds(1);
    private readonly Lazy<ServiceBusClient> _client = new(connection.CreateClient);

    public ServiceBusAdministrationClient Administration { get; } = connection.CreateAdministrationClient();

    public Task<QueueState> ReadAsync(CancellationToken cancellationToken) =>
        AskAsync(async () =>
        {
            var queue = (await Administration.GetQueueAsync(Name, cancellationToken)).Value;
            var counts = (await Administration.GetQueueRuntimePropertiesAsync(Name, cancellationToken)).Value;
            return new QueueState(
                queue.LockDuration,
                queue.MaxDeliveryCount,
                counts.ActiveMessageCount + counts.ScheduledMessageCount,
                counts.DeadLetterMessageCount
            );
        });

    public Task FillAsync(int count, int instructionsLength, DateTimeOffset due, CancellationToken cancellationToken) =>
        AskAsync(async () =>
        {
            await QueuePreload.SendAsync(_client.Value, Name, count, instructionsLength, due, cancellationToken);
            return count;
        });

    /// <summary>Deletes all messages, including dead letters.</summary>
    public async Task PurgeAsync(CancellationToken cancellationToken)
    {
        var began = clock.GetTimestamp();
        while (await ReadAsync(cancellationToken) is { Messages: var left, DeadLetters: var dead } && left + dead > 0)
        {
            if (clock.GetElapsedTime(began) > MaxWait)
            {
                throw new LabException(
                    $"{left + dead} messages are still in the queue after {MaxWait.TotalSeconds} s: "
                        + "receivers hold them until their locks expire, or a client keeps sending. Stop them and try again."
                );
            }
            await TakeAsync(SubQueue.None, cancellationToken);
            await TakeAsync(SubQueue.DeadLetter, cancellationToken);
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_client.IsValueCreated)
            await _client.Value.DisposeAsync();
    }

    private Task<bool> TakeAsync(SubQueue part, CancellationToken cancellationToken) =>
        AskAsync(async () =>
        {
            await using var receiver = _client.Value.CreateReceiver(
                Name,
                new ServiceBusReceiverOptions { ReceiveMode = ServiceBusReceiveMode.ReceiveAndDelete, SubQueue = part }
            );
            while ((await receiver.ReceiveMessagesAsync(Batch, Wait, cancellationToken)).Count > 0) { }

            return true;
        });

    private static async Task<T> AskAsync<T>(Func<Task<T>> ask)
    {
        try
        {
            return await ask();
        }
        catch (UnauthorizedAccessException exception)
        {
            throw new LabException(
                $"This connection lacks the Manage permission for the target's queue {Name}, so its messages cannot be counted: {exception.Message}"
            );
        }
        catch (Exception exception)
            when (exception is ServiceBusException or RequestFailedException or AggregateException)
        {
            throw new LabException($"The Service Bus of the target: {exception.GetBaseException().Message}");
        }
    }
}
