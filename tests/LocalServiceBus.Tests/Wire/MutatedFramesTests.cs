using System.Buffers.Binary;
using System.Globalization;
using System.IO.Pipelines;
using System.Text;
using DroneDelivery.Amqp;
using DroneDelivery.Amqp.Tests.Support;
using DroneDelivery.LocalServiceBus.Access;
using DroneDelivery.LocalServiceBus.Entities;
using DroneDelivery.LocalServiceBus.Wire;
using static DroneDelivery.LocalServiceBus.Tests.Support.AmqpClient;

namespace DroneDelivery.LocalServiceBus.Tests.Wire;

/// <summary>A conversation with a node of every kind, recorded once and said again with mistakes in its frames.</summary>
public sealed class MutatedFramesTests : IAsyncDisposable
{
    private static readonly int Frames =
        int.Parse(Environment.GetEnvironmentVariable("BROKER_FRAMES") ?? "20000", CultureInfo.InvariantCulture);

    // Codes of null, numbers, bytes, text, symbols, lists, maps and arrays; ends of ranges.
    private static readonly byte[] Likely =
    [
        0x40, 0x41, 0x43, 0x44, 0x45, 0x52, 0x53, 0x54, 0x70, 0x80, 0x83, 0x98, 0xa0, 0xa1, 0xa3, 0xb1, 0xc0, 0xc1, 0xe0,
        0, 1, 0x7f, 0xff,
    ];

    private readonly ServiceBusNamespace _entities = new(TimeProvider.System);
    private readonly RecordedLog _log = new();
    private readonly AmqpFrontEnd _frontEnd;

    public MutatedFramesTests()
    {
        _entities.CreateQueue(new QueueOptions("orders") { MaxDeliveryCount = 2 });
        _entities.CreateQueue(new QueueOptions("trips") { RequiresSession = true });
        _entities.CreateTopic(new QueueOptions("events"));
        _entities.CreateSubscription(QueueOptions.OfSubscription("events", "all"));
        var rules = new AccessRules([AccessRule.WellKnown], areRequired: true, TimeProvider.System);
        _frontEnd = new AmqpFrontEnd(_entities, new AmqpFrontEndOptions(), _log, rules);
    }

    public async ValueTask DisposeAsync()
    {
        await _frontEnd.DisposeAsync();
        _entities.Dispose();
    }

    [Fact]
    public async Task Frames_with_mistakes_are_no_defect_of_the_broker_and_others_are_served()
    {
        var frames = Split(await ConverseAsync());
        Assert.InRange(frames.Count, 40, 200);

        var random = new Random(1);
        for (var said = 0; said < Frames; said += frames.Count)
        {
            await SayAsync(WithMistakes(frames, random));
            Empty();
        }

        Assert.DoesNotContain(_log.All, entry => entry.Level >= Microsoft.Extensions.Logging.LogLevel.Error);
        Assert.Equal(0, _entities.Defects.Count);
        Assert.Equal(0, _frontEnd.ConnectionCount);
        await ConverseAsync();
    }

    /// <returns>What the client has said.</returns>
    private async Task<byte[]> ConverseAsync()
    {
        var (client, middle) = DuplexPipe.Create();
        var (near, far) = DuplexPipe.Create();
        var serving = _frontEnd.ServeAsync(far, Cancel);
        using var recorded = new MemoryStream();
        var copying = CopyAsync(middle.Input, near.Output, recorded);
        var options = new AmqpConnectionOptions { Sasl = SaslClient.ClaimsBased };
        var connection = await AmqpConnection.ConnectAsync(new DuplexPipe(near.Input, client.Output), options, "localhost", Cancel);
        await using (var amqp = await OnAsync(connection))
            await TalkAsync(amqp);
        await serving;
        await client.Output.CompleteAsync();
        await copying;
        return recorded.ToArray();
    }

    private static async Task TalkAsync(AmqpClient client)
    {
        var token = Sas.Token("sb://localhost/", TimeProvider.System.GetUtcNow().AddHours(1));
        await AskAsync(client, "$cbs", token, new() { ["operation"] = "put-token", ["name"] = "sb://localhost/" });
        await SendAsync(client, "orders", 4);
        var orders = await client.ReceiverAsync("orders", 10);
        DeliveryState[] outcomes = [Accepted.Instance, Released.Instance, new Modified(DeliveryFailed: true), Rejected.Bare];
        foreach (var outcome in outcomes)
            await orders.SettleAsync(await orders.NextAsync(), outcome);
        await orders.Link.DetachAsync(cancellationToken: Cancel);
        await AskAsync(
            client, "orders/$management",
            new Dictionary<object, object?> { ["from-sequence-number"] = 0L, ["message-count"] = 10 },
            new() { ["operation"] = "com.microsoft:peek-message" });
        await client.ReceiverAsync("orders/$DeadLetterQueue", 1, receiveAndDelete: true);

        await SendAsync(client, "trips", 2);
        var trips = await AcceptSessionAsync(client);
        await trips.SettleAsync(await trips.NextAsync(), Accepted.Instance);
        await AskAsync(
            client, "trips/$management",
            new Dictionary<object, object?> { ["session-id"] = "one" },
            new() { ["operation"] = "com.microsoft:get-session-state" });
        await SendAsync(client, "events", 1);
        var events = await client.ReceiverAsync("events/subscriptions/all", 1);
        await events.SettleAsync(await events.NextAsync(), Accepted.Instance);
        await TransactAsync(client);
    }

    /// <summary>A settlement that is committed, and one that is rolled back.</summary>
    private static async Task TransactAsync(AmqpClient client)
    {
        var coordinator = await CoordinatorAsync(await client.Connection.BeginSessionAsync(null, Cancel));
        await SendAsync(client, "orders", 2);
        var orders = await client.ReceiverAsync("orders", 2);
        foreach (var fail in (bool[])[false, true])
        {
            var id = Assert.IsType<Declared>(await CommandAsync(new Declare())).TxnId;
            await orders.SettleAsync(await orders.NextAsync(), new TransactionalState(id, Accepted.Instance));
            Assert.Same(Accepted.Instance, await CommandAsync(new Discharge(id, fail)));
        }

        Task<DeliveryState> CommandAsync(TransactionCommand command) =>
            coordinator.SendAsync(new AmqpMessage { Value = command.ToValue() }.ToArray(), 0, settled: false, Cancel);
    }

    private static async Task SendAsync(AmqpClient client, string address, int count)
    {
        var sender = await client.SenderAsync(address);
        var message = new AmqpMessage
        {
            Properties = new() { GroupId = "one" },
            ApplicationProperties = new() { ["number"] = 1, ["text"] = "a" },
            Data = [Encoding.UTF8.GetBytes("text")],
        };
        for (var i = 0; i < count; i++)
            await sender.SendAsync(message.ToArray(), 0, settled: false, Cancel);
    }

    private static async Task<AmqpReceiver> AcceptSessionAsync(AmqpClient client)
    {
        var receiver = new AmqpReceiver();
        var attach = new Attach
        {
            Name = "session",
            RcvSettleMode = ReceiverSettleMode.Second,
            Source = new Source { Address = "trips", Filter = new() { ["com.microsoft:session-filter"] = "one" } },
            Target = new Target(),
        };
        receiver.Link = await client.Session.AttachReceiverAsync(attach, receiver, Cancel);
        receiver.Link.SetCredit(2);
        return receiver;
    }

    private static async Task AskAsync(AmqpClient client, string node, object value, Dictionary<string, object?> properties)
    {
        var requests = await client.SenderAsync(node);
        var replies = await client.ReceiverAsync(node, 10, receiveAndDelete: true);
        var request = new AmqpMessage { Properties = new() { MessageId = "id" }, ApplicationProperties = properties, Value = value };
        await requests.SendAsync(request.ToArray(), 0, settled: true, Cancel);
        await replies.NextAsync();
    }

    private async Task SayAsync(byte[] bytes)
    {
        var (near, far) = DuplexPipe.Create(1 << 20);
        var serving = _frontEnd.ServeAsync(far, Cancel);
        using var answers = new MemoryStream();
        var reading = CopyAsync(near.Input, null, answers);
        await near.Output.WriteAsync(bytes, Cancel);
        await near.Output.CompleteAsync();
        await serving.WaitAsync(TimeSpan.FromSeconds(30), Cancel);
        await far.Output.CompleteAsync();
        await reading;
        Assert.True(answers.ToArray().AsSpan().IndexOf("amqp:internal-error"u8) < 0, "A defect is what the client was told.");
    }

    /// <summary>Nothing that one conversation left has to be read by the next.</summary>
    private void Empty()
    {
        foreach (var queue in _entities.Sources)
        {
            queue.Purge();
            queue.DeadLetterQueue!.Purge();
        }
    }

    private static async Task CopyAsync(PipeReader from, PipeWriter? to, Stream record)
    {
        while (true)
        {
            var read = await from.ReadAsync(Cancel);
            foreach (var part in read.Buffer)
            {
                record.Write(part.Span);
                if (to is not null)
                    await to.WriteAsync(part, Cancel);
            }
            from.AdvanceTo(read.Buffer.End);
            if (read.IsCompleted)
                break;
        }
        if (to is not null)
            await to.CompleteAsync();
    }

    /// <summary>Frames, and the headers of the two protocols.</summary>
    private static List<byte[]> Split(byte[] said)
    {
        var frames = new List<byte[]>();
        for (var at = 0; at < said.Length;)
        {
            var size = said.AsSpan(at).StartsWith("AMQP"u8) ? 8 : BinaryPrimitives.ReadInt32BigEndian(said.AsSpan(at));
            frames.Add(said[at..(at + size)]);
            at += size;
        }
        return frames;
    }

    /// <summary>One to three frames are damaged, left out, repeated or moved.</summary>
    private static byte[] WithMistakes(List<byte[]> frames, Random random)
    {
        var said = frames.ToList();
        for (var mistakes = random.Next(1, 4); mistakes > 0; mistakes--)
        {
            var at = random.Next(said.Count);
            var frame = said[at];
            switch (random.Next(10))
            {
                case 0: said.RemoveAt(at); break;
                case 1: said.Insert(at, frame); break;
                case 2: (said[at], said[random.Next(said.Count)]) = (said[random.Next(said.Count)], frame); break;
                case 3: said[at] = Resized(frame, random); break;
                default: said[at] = Damaged(frame, random); break;
            }
        }
        return [.. said.SelectMany(frame => frame)];
    }

    private static byte[] Damaged(byte[] frame, Random random)
    {
        var damaged = frame.ToArray();
        for (var bytes = random.Next(1, 4); bytes > 0; bytes--)
        {
            var first = random.Next(5) == 0 ? 0 : Math.Min(8, frame.Length - 1);
            damaged[random.Next(first, frame.Length)] =
                random.Next(2) == 0 ? (byte)random.Next(256) : Likely[random.Next(Likely.Length)];
        }
        return damaged;
    }

    /// <summary>Its end is missing, or it has one byte more; its size says so.</summary>
    private static byte[] Resized(byte[] frame, Random random)
    {
        var resized = frame[..random.Next(Math.Min(8, frame.Length), frame.Length + 1)].Append((byte)random.Next(256)).ToArray();
        if (!frame.AsSpan().StartsWith("AMQP"u8))
            BinaryPrimitives.WriteInt32BigEndian(resized, resized.Length);
        return resized;
    }
}
