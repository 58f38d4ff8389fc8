using System.Globalization;
using DroneDelivery.Amqp.Tests.Support;
using DroneDelivery.LocalServiceBus.Access;
using DroneDelivery.LocalServiceBus.Tests.Support.Mutations;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.LocalServiceBus.Tests.Wire;

/// <summary>
/// Leads the broker into each state, sends invalid frames there, and disconnects, while another client is served.
/// <c>BROKER_FRAMES</c> sets the number of such frames, <c>BROKER_SEED</c> the first seed.
/// </summary>
public sealed class MutatedFramesTests : IAsyncDisposable
{
    // Invalid frames that are sent together, after the state was reached.
    private const int MostAtOnce = 3;

    // Frames that one client sends, if its state lasts that long.
    private const int MostInState = 40;

    private static readonly TimeSpan LockDuration = TimeSpan.FromSeconds(5);

    private readonly ManualTimeProvider _clock = new();
    private readonly ServiceBusNamespace _entities;
    private readonly RecordedLog _log = new() { Least = LogLevel.Error };
    private readonly AmqpFrontEnd _frontEnd;
    private readonly Dictionary<string, long> _sent = BrokerStates.All.ToDictionary(state => state.Name, _ => 0L);

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
    public async Task Invalid_frames_cause_no_defect_and_others_are_served()
    {
        var most = Number("BROKER_FRAMES", 5000);
        await using var other = await OnAsync(await ConnectAsync());
        var sender = await other.SenderAsync("steady");
        var receiver = await other.ReceiverAsync("steady", 1);
        for (var (batch, sent) = (Number("BROKER_SEED", 1), 0L); sent < most; batch++)
        {
            Create();
            sent += await SendBatchAsync(new Random((int)batch), batch);
            Check();
            await ServeAsync(sender, receiver);
            Delete();
        }

        Assert.All(_sent, state => Assert.True(state.Value > 0, $"No frame was sent in the state '{state.Key}'."));
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

    /// <returns>The number of invalid frames.</returns>
    private async Task<long> SendBatchAsync(Random random, long batch)
    {
        var all = 0L;
        foreach (var state in BrokerStates.All)
        {
            var sent = 0;
            try
            {
                sent = await SendInStateAsync(state, random);
            }
            catch (Exception error)
            {
                var log = string.Join("; ", _log.All);
                throw new InvalidOperationException(
                    $"In the state '{state.Name}'; BROKER_SEED={batch} reproduces it. Log: {log}",
                    error
                );
            }
            Empty();
            _sent[state.Name] += sent;
            all += sent;
        }
        return all + await ShakeHandsAsync(random);
    }

    private async Task<int> SendInStateAsync(BrokerState state, Random random)
    {
        var mutator = new FrameMutator(random);
        var sent = 0;
        using var peer = new FramePeer(_frontEnd);
        await peer.EnterAsync(state);
        var valid = state.Next(peer);
        do
        {
            var frames = Enumerable
                .Range(0, random.Next(1, MostAtOnce + 1))
                .Select(_ => Mutated(valid, mutator, random))
                .ToList();
            await peer.SendAsync([.. frames.SelectMany(frame => frame)]);
            sent += frames.Count;
        } while (sent < MostInState && await peer.IsStillInStateAsync());
        await peer.SendLastAsync(mutator.Cut(valid[random.Next(valid.Length)].ToBytes()));
        Assert.False(peer.HasInternalError, $"The broker reported an internal error in the state '{state.Name}'.");
        return sent;
    }

    /// <summary>
    /// Returns mostly frames that fit the state except for one error, and occasionally valid ones that lead to other
    /// states.
    /// </summary>
    private static byte[] Mutated(FrameValues[] valid, FrameMutator mutator, Random random)
    {
        var frame = valid[random.Next(valid.Length)];
        return random.Next(12) == 0 ? frame.ToBytes() : mutator.Of(frame);
    }

    /// <summary>Connects with an error in one of the frames before the first session.</summary>
    private async Task<int> ShakeHandsAsync(Random random)
    {
        var sent = Frames.Greeting.ToList();
        var at = random.Next(sent.Count);
        var mutator = new FrameMutator(random);
        sent[at] = random.Next(2) == 0 ? mutator.Damaged(sent[at]) : mutator.Cut(sent[at]);
        using var peer = new FramePeer(_frontEnd);
        await peer.SendLastAsync([.. sent.SelectMany(bytes => bytes)]);
        Assert.False(peer.HasInternalError, "The broker reported an internal error during the handshake.");
        return 1;
    }

    /// <summary>Keeps leftovers of one client from affecting the next.</summary>
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
        // Expires the locks of disconnected clients.
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

    /// <summary>Asserts that every message is in exactly one place.</summary>
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

    /// <summary>Sends, receives, and completes a message on the other client.</summary>
    private async Task ServeAsync(SenderLink sender, AmqpReceiver receiver)
    {
        Assert.Same(
            Accepted.Instance,
            await sender.SendAsync(FrameValues.Encode(Frames.Text()), 0, settled: false, Cancel)
        );
        Assert.Same(Accepted.Instance, await receiver.SettleAsync(await receiver.NextAsync(), Accepted.Instance));
        receiver.Link.SetCredit(1);
        var counts = _entities.Get("steady").Counts();
        Assert.Equal((counts.Incoming, 0L), (counts.Completed, counts.SizeInBytes));
    }
}
