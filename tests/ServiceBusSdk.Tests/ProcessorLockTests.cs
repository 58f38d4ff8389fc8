using System.Collections.Concurrent;

namespace DroneDelivery.ServiceBusSdk.Tests;

/// <summary>What a processor does about the locks on what its handlers work on. Its own timers go by the machine's clock.</summary>
public sealed class ProcessorLockTests(ClockedBus bus) : BusTest(bus), IClassFixture<ClockedBus>
{
    private static readonly TimeSpan LockDuration = TimeSpan.FromSeconds(5);

    private readonly ConcurrentQueue<ProcessErrorEventArgs> _errors = [];
    private int _handled;

    [Fact]
    public async Task The_lock_on_a_message_is_renewed_while_its_handler_runs()
    {
        var queue = await CreateQueueAsync(options => options.LockDuration = LockDuration);
        await SendAsync(queue, 1);
        var processor = Owned(Client.CreateProcessor(queue));
        processor.ProcessErrorAsync += NoteAsync;
        processor.ProcessMessageAsync += async args =>
        {
            var before = args.Message.LockedUntil;
            bus.Clock.Advance(TimeSpan.FromSeconds(3));
            await Eventually.HoldsAsync(() => args.Message.LockedUntil > before);
            bus.Clock.Advance(TimeSpan.FromSeconds(3));
            Interlocked.Increment(ref _handled);
        };
        await processor.StartProcessingAsync(Cancelled);

        await Eventually.HoldsAsync(() => bus.Local.Broker.Entities.Get(queue).Counts().Completed == 1);

        Assert.Equal(1, _handled);
        Assert.Empty(_errors);
    }

    private Task NoteAsync(ProcessErrorEventArgs error)
    {
        _errors.Enqueue(error);
        return Task.CompletedTask;
    }
}
