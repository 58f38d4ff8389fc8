namespace DroneDelivery.Lab.Tests.Support;

internal enum MessageOutcome
{
    Completed,
    OutOfMemory,
    LockLost,
}

/// <summary>
/// The course of a simulated stage. Times are in seconds since the start of its load, rates per second.
/// </summary>
internal sealed record FakeStage(
    string Id,
    Func<double, double> Handled,
    Func<double, MessageOutcome> MessageOutcome,
    double Load = 60,
    double Observed = 15,
    int Prefetch = 0,
    double Nodes = 30,
    long RedisLimit = 0,
    bool TracksRedis = false
)
{
    public double IncomingAt(double at) => at >= Load ? 0 : Math.Min(80, 4 * (1 + Math.Floor(at / (Load / 32))));
}

internal sealed class FakeTelemetry
{
    private const string Bus = "localhost/delivery-requests",
        BusType = "servicebus",
        LockIsInvalid = "The lock supplied is invalid. (MessageLockLost)",
        LockLost = "ServiceBusException: " + LockIsInvalid,
        MemoryIsFull = "OOM command not allowed when used memory > 'maxmemory'.";

    private readonly StringBuilder _lines = new();
    private readonly RunSamples _samples;
    private int _operation;

    public FakeTelemetry(string? file = null)
    {
        Store = new(new() { File = file });
        _samples = new(Store);
    }

    public TelemetryStore Store { get; }

    private (double Incoming, double Outgoing, double Completed, double Dead, double Lost) _total;

    /// <param name="start">The start of its load; the stage starts 2 s earlier.</param>
    public void Play(FakeStage stage, DateTimeOffset start)
    {
        var (incoming, handled) = (0.0, 0.0);
        for (var at = 0.0; at < stage.Load + stage.Observed; at += 0.25)
        {
            for (incoming += stage.IncomingAt(at) / 4; incoming >= 1; incoming--)
                Accepted(start.AddSeconds(at));
            for (handled += stage.Handled(at) / 4; handled >= 1; handled--)
                Message(stage, start.AddSeconds(at), stage.MessageOutcome(at), age: Math.Min(at, 0.4 + at / 3));
            if (at % 1 == 0)
                Sample(stage, start, at);
        }

        Assert.Empty(Store.Ingest(Encoding.UTF8.GetBytes(_lines.ToString())).Errors);
        _lines.Clear();
        _samples.Stage(new(stage.Id, start.AddSeconds(-2), start.AddSeconds(stage.Load + stage.Observed)));
    }

    private void Accepted(DateTimeOffset time)
    {
        var operation = $"a{_operation++:x}";
        Request(operation, "i1", null, time, "ingestion", "POST /api/deliveryrequests", "202", 12);
        Call(operation, "i2", "i1", time.AddMilliseconds(1), "ingestion", BusType, Bus, "Message", "", 0.02);
        Call(operation, "i3", "i1", time.AddMilliseconds(1), "ingestion", BusType, Bus, "ServiceBusSender.Send", "", 6);
        _total.Incoming++;
    }

    private void Message(FakeStage stage, DateTimeOffset time, MessageOutcome outcome, double age)
    {
        var operation = $"b{_operation++:x}";
        var took = outcome == MessageOutcome.OutOfMemory ? 1400 : 246;
        DateTimeOffset After(double milliseconds) => time.AddMilliseconds(milliseconds);
        Call(operation, "m1", "i1", After(-100), "ingestion", BusType, Bus, "Message", "", 0.02);
        // The handler turns every failure into a settlement, so the request succeeds.
        Request(
            operation,
            "w1",
            "m1",
            time,
            "workflow",
            "ServiceBusProcessor.ProcessMessage",
            "200",
            took,
            age: age * 1000
        );
        Call(operation, "w2", "w1", After(62), "workflow", "Http", "package", "PUT /api/packages/{id}", "201", 12.4);
        Request(operation, "p1", "w2", After(63), "package", "PUT /api/packages/{id}", "201", 10.8);
        Call(
            operation,
            "w3",
            "w1",
            After(76),
            "workflow",
            "Http",
            "dronescheduler",
            "PUT /api/dronedeliveries/{id}",
            "201",
            22.9
        );
        Request(operation, "s1", "w3", After(77), "dronescheduler", "PUT /api/dronedeliveries/{id}", "201", 21.3);
        Deliver(stage, operation, After(100), outcome);
        Settle(operation, time, took, outcome);
        _total.Outgoing++;
    }

    private void Deliver(FakeStage stage, string operation, DateTimeOffset time, MessageOutcome outcome)
    {
        var failed = outcome == MessageOutcome.OutOfMemory;
        foreach (var (attempt, pause) in (failed ? new[] { 0.0, 290, 830 } : [0.0]).Index())
        {
            var at = time.AddMilliseconds(pause);
            var (code, ofRedis) = failed ? ("503", "OOM") : ("201", "");
            var (call, request) = ($"w4{attempt}", $"d1{attempt}");
            Call(
                operation,
                call,
                "w1",
                at,
                "workflow",
                "Http",
                "delivery",
                "PUT /api/deliveries/{id}",
                code,
                38,
                !failed
            );
            Request(
                operation,
                request,
                call,
                at.AddMilliseconds(1),
                "delivery",
                "PUT /api/deliveries/{id}",
                code,
                36,
                !failed
            );
            var atRedis = at.AddMilliseconds(30);
            if (stage.TracksRedis)
            {
                Call(
                    operation,
                    $"d2{attempt}",
                    request,
                    atRedis,
                    "delivery",
                    "redis",
                    "localhost:6390",
                    "SET",
                    ofRedis,
                    0.8,
                    !failed
                );
            }

            if (failed)
            {
                Thrown(
                    operation,
                    request,
                    at.AddMilliseconds(31),
                    "delivery",
                    "StackExchange.Redis.RedisServerException",
                    MemoryIsFull
                );
            }
        }
    }

    private void Settle(string operation, DateTimeOffset time, double took, MessageOutcome outcome)
    {
        var at = time.AddMilliseconds(took - 95);
        var lasted = outcome == MessageOutcome.LockLost ? 12 : 88;
        var (isCompleted, isDeadLettered) = (
            outcome == MessageOutcome.Completed,
            outcome == MessageOutcome.OutOfMemory
        );
        var error = outcome == MessageOutcome.LockLost ? LockLost : null;
        if (outcome != MessageOutcome.OutOfMemory)
        {
            Call(
                operation,
                "w5",
                "w1",
                at,
                "workflow",
                BusType,
                Bus,
                "ServiceBusReceiver.Complete",
                "",
                lasted,
                isCompleted,
                error
            );
        }

        var after = at.AddMilliseconds(20);
        if (outcome != MessageOutcome.Completed)
        {
            Call(
                operation,
                "w6",
                "w1",
                after,
                "workflow",
                BusType,
                Bus,
                "ServiceBusReceiver.DeadLetter",
                "",
                70,
                isDeadLettered,
                error
            );
        }

        if (outcome == MessageOutcome.LockLost)
        {
            Thrown(
                operation,
                "w1",
                at.AddMilliseconds(12),
                "workflow",
                "Azure.Messaging.ServiceBus.ServiceBusException",
                LockIsInvalid
            );
        }

        _total.Completed += outcome == MessageOutcome.Completed ? 1 : 0;
        // The broker dead-letters a message whose lock expires for the third time.
        _total.Dead +=
            outcome == MessageOutcome.OutOfMemory ? 1
            : outcome == MessageOutcome.LockLost ? 0.33
            : 0;
        _total.Lost += outcome == MessageOutcome.LockLost ? 2 : 0;
    }

    private void Sample(FakeStage stage, DateTimeOffset start, double at)
    {
        var time = start.AddSeconds(at);
        var held = stage.Prefetch > 0 ? (int)Math.Min(stage.Prefetch, _total.Incoming / 3) : 1;
        var (incoming, outgoing, completed) = ((long)_total.Incoming, (long)_total.Outgoing, (long)_total.Completed);
        var (dead, lost) = ((long)_total.Dead, (long)_total.Lost);
        var active = Math.Max(0, incoming - completed - dead - 3 * held);
        var queue = JsonSerializer.SerializeToNode(
            QueueCounters.Zero with
            {
                Incoming = incoming,
                Outgoing = outgoing,
                Completed = completed,
                DeadLettered = dead,
                LockLost = lost,
                ExpiredLocks = lost / 2,
                Active = active,
                Locked = 3 * held,
                DeadLetter = dead,
            },
            JsonSerializerOptions.Web
        )!;
        queue["links"] = JsonSerializer.SerializeToNode(
            Enumerable
                .Range(0, 3)
                .Select(link => new
                {
                    connection = $"c{link}",
                    link = "receiver",
                    credit = 0,
                    unsettled = held - link,
                    maxUnsettled = held,
                })
        );
        // A second, idle queue, like the real one.
        var queues = new Dictionary<string, object>
        {
            [BrokerCounters.FailedQueueName] = QueueCounters.Zero,
            [BrokerCounters.QueueName] = queue,
        };
        _samples.Broker(JsonSerializer.SerializeToElement(new { time, queues }, JsonSerializerOptions.Web));
        for (var node = 0; node < 6; node++)
        {
            _samples.Node(
                time,
                $"node-{node}",
                Math.Min(100, stage.Nodes * Math.Min(1, 0.3 + at / 20) * (node < 3 ? 0.9 : 1))
            );
        }

        _samples.Machine(time, 55, 6);
        _samples.Redis(
            time,
            Math.Min(stage.RedisLimit, 1_500_000 + completed * 20_916),
            stage.RedisLimit,
            completed * 2
        );
    }

    private void Request(
        string operation,
        string id,
        string? parent,
        DateTimeOffset time,
        string role,
        string name,
        string code,
        double took,
        bool success = true,
        double? age = null
    ) =>
        Item(
            "RequestData",
            operation,
            parent,
            time,
            role,
            SentItem.Step("", operation + id, name, took / 1000, "", code, success, waited: age / 1000)
        );

    private void Call(
        string operation,
        string id,
        string parent,
        DateTimeOffset time,
        string role,
        string type,
        string target,
        string name,
        string code,
        double took,
        bool success = true,
        string? error = null
    ) =>
        Item(
            "RemoteDependencyData",
            operation,
            parent,
            time,
            role,
            SentItem.Step(type, operation + id, name, took / 1000, target, code, success, error: error)
        );

    private void Thrown(
        string operation,
        string parent,
        DateTimeOffset time,
        string role,
        string type,
        string message
    ) =>
        Item(
            "ExceptionData",
            operation,
            parent,
            time,
            role,
            new { exceptions = new[] { new { typeName = type, message } } }
        );

    private void Item(string type, string operation, string? parent, DateTimeOffset time, string role, object data) =>
        _lines.AppendLine(
            SentItem.Of(
                time,
                type,
                data,
                operation,
                parent is null ? null : operation + parent,
                role,
                $"{role}-{_operation % 3}"
            )
        );
}
