using System.Globalization;
using DroneDelivery.Amqp.Tests.Support;
using DroneDelivery.LocalServiceBus.Access;
using DroneDelivery.LocalServiceBus.Tests.Support.Mistakes;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.LocalServiceBus.Tests.Wire;

/// <summary>
/// A client leads the broker into each state that there is, says frames with mistakes there, and hangs up. Another client is served all
/// the while. <c>BROKER_FRAMES</c> says how many such frames, <c>BROKER_SEED</c> where chance begins.
/// </summary>
public sealed class MutatedFramesTests : IAsyncDisposable
{
    // Frames with mistakes that are said together; the state was there ahead of them.
    private const int MostAtOnce = 3;

    // Said by one client, if its state lasts so long.
    private const int MostInState = 40;

    private static readonly TimeSpan LockDuration = TimeSpan.FromSeconds(5);

    private readonly ManualTimeProvider _clock = new();
    private readonly ServiceBusNamespace _entities;
    private readonly RecordedLog _log = new() { Least = LogLevel.Error };
    private readonly AmqpFrontEnd _frontEnd;
    private readonly Dictionary<string, long> _said = BrokerStates.All.ToDictionary(state => state.Name, _ => 0L);

    private Task _servingOther = Task.CompletedTask;

    public MutatedFramesTests()
    {
        _entities = new ServiceBusNamespace(_clock) { Reader = new RuleMessageReader() };
        _entities.Create(new QueueOptions("steady"));
        var rules = new AccessRules([AccessRule.WellKnown], areRequired: true, TimeProvider.System);
        _frontEnd = new AmqpFrontEnd(_entities, new AmqpFrontEndOptions(), _log, rules);
    }

    public async ValueTask DisposeAsync()
    {
        await _frontEnd.DisposeAsync();
        await _servingOther;
        _entities.Dispose();
    }

    [Fact]
    public async Task Frames_with_mistakes_are_no_defect_in_any_state_and_others_are_served()
    {
        var most = Number("BROKER_FRAMES", 5000);
        await using var other = await OnAsync(await ConnectAsync());
        var sender = await other.SenderAsync("steady");
        var receiver = await other.ReceiverAsync("steady", 1);
        for (var (batch, said) = (Number("BROKER_SEED", 1), 0L); said < most; batch++)
        {
            Create();
            said += await SayBatchAsync(new Random((int)batch), batch);
            Check();
            await ServeAsync(sender, receiver);
            Delete();
        }

        Assert.All(_said, state => Assert.True(state.Value > 0, $"Nothing was said in the state '{state.Key}'."));
    }

    private static long Number(string variable, long otherwise) =>
        long.TryParse(Environment.GetEnvironmentVariable(variable), CultureInfo.InvariantCulture, out var number)
            ? number
            : otherwise;

    private void Create()
    {
        QueueOptions Queue(string name) => new(name) { LockDuration = LockDuration, MaxDeliveryCount = 2 };
        _entities.Create(Queue("far"));
        _entities.Create(Queue("orders"));
        _entities.Create(Queue("trips") with { RequiresSession = true });
        _entities.Create(Queue("once") with { RequiresDuplicateDetection = true });
        _entities.Create(Queue("forwards") with { ForwardTo = "far" });
        _entities.Create(new QueueOptions("events") { Kind = EntityKind.Topic });
        foreach (var name in (string[])["all", "ruled"])
            _entities.Create(QueueOptions.OfSubscription("events", name) with { LockDuration = LockDuration });
    }

    private void Delete()
    {
        _entities.Delete("events");
        foreach (var queue in _entities.Queues.Where(queue => queue.Name != "steady"))
            _entities.Delete(queue.Name);
    }

    /// <returns>How many frames had mistakes.</returns>
    private async Task<long> SayBatchAsync(Random random, long batch)
    {
        var all = 0L;
        foreach (var state in BrokerStates.All)
        {
            var said = 0;
            try
            {
                said = await SayInAsync(state, random);
            }
            catch (Exception error)
            {
                var log = string.Join("; ", _log.All);
                throw new InvalidOperationException(
                    $"In the state '{state.Name}'; BROKER_SEED={batch} says it again. Log: {log}",
                    error
                );
            }
            Empty();
            _said[state.Name] += said;
            all += said;
        }
        return all + await ShakeHandsAsync(random);
    }

    private async Task<int> SayInAsync(BrokerState state, Random random)
    {
        var mistakes = new FrameMistakes(random);
        var said = 0;
        using var peer = new FramePeer(_frontEnd);
        await peer.EnterAsync(state);
        var valid = state.Next(peer);
        do
        {
            var frames = Enumerable
                .Range(0, random.Next(1, MostAtOnce + 1))
                .Select(_ => Mistaken(valid, mistakes, random))
                .ToList();
            await peer.SayAsync([.. frames.SelectMany(frame => frame)]);
            said += frames.Count;
        } while (said < MostInState && await peer.IsStillInStateAsync());
        await peer.SayLastAsync(mistakes.Cut(valid[random.Next(valid.Length)].ToBytes()));
        Assert.False(peer.IsToldOfDefect, $"In the state '{state.Name}' a client was told of a defect.");
        return said;
    }

    /// <summary>Mostly what fits the state but for its mistake; now and then what fits, and leads on to other states.</summary>
    private static byte[] Mistaken(SpokenFrame[] valid, FrameMistakes mistakes, Random random)
    {
        var frame = valid[random.Next(valid.Length)];
        return random.Next(12) == 0 ? frame.ToBytes() : mistakes.Of(frame);
    }

    /// <summary>Ahead of every session: one of the first frames has a mistake.</summary>
    private async Task<int> ShakeHandsAsync(Random random)
    {
        var said = Words.Greeting.ToList();
        var at = random.Next(said.Count);
        var mistakes = new FrameMistakes(random);
        said[at] = random.Next(2) == 0 ? mistakes.Damaged(said[at]) : mistakes.Cut(said[at]);
        using var peer = new FramePeer(_frontEnd);
        await peer.SayLastAsync([.. said.SelectMany(bytes => bytes)]);
        Assert.False(peer.IsToldOfDefect, "A client was told of a defect in its first frames.");
        return 1;
    }

    /// <summary>What one client left does not stand in the way of the next.</summary>
    private void Empty()
    {
        foreach (var queue in _entities.Sources.Where(queue => queue.Name != "steady"))
        {
            queue.Purge();
            queue.DeadLetterQueue!.Purge();
        }
    }

    private void Check()
    {
        // Locks of clients that are gone end.
        _clock.Advance(LockDuration);
        Assert.Empty(_log.All);
        Assert.Equal(0, _entities.Defects.Count);
        Assert.Equal(1, _frontEnd.ConnectionCount);
        foreach (var queue in _entities.All)
        {
            Assert.Null(queue.Failure);
            AssertAddsUp(queue);
            if (queue.DeadLetterQueue is { } deadLetters)
                AssertAddsUp(deadLetters);
        }

        Empty();
        Assert.Equal(0, _entities.Get("orders").Counts().SizeInBytes);
    }

    /// <summary>Every message is somewhere, once.</summary>
    private static void AssertAddsUp(Queue queue)
    {
        var counts = queue.Counts();
        var gone = counts.Completed + counts.DeadLettered + counts.Expired + counts.Purged + counts.Cancelled;
        Assert.Equal(counts.Incoming, gone + counts.Active + counts.Locked + counts.Deferred + counts.Scheduled);
        Assert.Equal(0, counts.Locked);
    }

    private async Task<AmqpConnection> ConnectAsync()
    {
        var (near, far) = DuplexPipe.Create();
        _servingOther = _frontEnd.ServeAsync(far, CancellationToken.None);
        return await AmqpDialer.ConnectAsync(near, WithKey, new AmqpConnectionOptions(), "localhost", Cancel);
    }

    /// <summary>The other client sends a message, receives and completes it.</summary>
    private async Task ServeAsync(SenderLink sender, AmqpReceiver receiver)
    {
        Assert.Same(
            Accepted.Instance,
            await sender.SendAsync(SpokenFrame.Encode(Words.Text()), 0, settled: false, Cancel)
        );
        Assert.Same(Accepted.Instance, await receiver.SettleAsync(await receiver.NextAsync(), Accepted.Instance));
        receiver.Link.SetCredit(1);
        var counts = _entities.Get("steady").Counts();
        Assert.Equal((counts.Incoming, 0L), (counts.Completed, counts.SizeInBytes));
    }
}
