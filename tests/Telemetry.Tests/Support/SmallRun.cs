using System.Globalization;
using System.Text;

namespace DroneDelivery.Telemetry.Tests.Support;

/// <summary>
/// A run of a few deliveries, small enough to compute every result manually. Times are in seconds after <see
/// cref="Start"/>.
/// </summary>
internal sealed class SmallRun(TelemetryStore store)
{
    public static readonly DateTimeOffset Start = new(2030, 1, 1, 0, 0, 0, TimeSpan.Zero);

    private const string Bus = "localhost:5672/delivery-requests";

    public static TelemetrySnapshot Make()
    {
        var store = new TelemetryStore();
        new SmallRun(store).Fill();
        return store.Snapshot();
    }

    private void Fill()
    {
        GoodDelivery("aa", second: 1, complete: 80);
        GoodDelivery("bb", second: 7, complete: 100);
        OutOfMemory("cc", second: 8);
        LostLock("dd", second: 12);
        Redis();
        Samples();
        Sent("ingestion", sent: 3, refused: 0, lost: 0);
        Sent("package", sent: 8, refused: 1, lost: 1);
        // No sender has counted this item.
        Send("EventData", "", null, 20, "lab", new() { ["name"] = "ReplicaStopped" });
    }

    // Ingestion sends, Workflow processes with three calls and completes.
    private void GoodDelivery(string operation, double second, double complete)
    {
        Request(operation, "i1", null, second, "ingestion", "POST /api/deliveryrequests", "202", 5);
        Process(operation, second + 0.1, "200", 150 + complete, success: true, age: 100);
        Calls(operation, second, deliveryCode: "201");
        Settle(operation, "w5", second + 0.3, "Complete", complete);
    }

    // The cache is full: Delivery returns 503, and Workflow dead-letters.
    private void OutOfMemory(string operation, double second)
    {
        Process(operation, second, "", 400, success: false, age: 900);
        Calls(operation, second, deliveryCode: "503");
        Exception(
            operation,
            "d1",
            second + 0.25,
            "delivery",
            "StackExchange.Redis.RedisServerException",
            "OOM command not allowed when used memory > 'maxmemory'."
        );
        Settle(operation, "w5", second + 0.4, "DeadLetter", 60);
    }

    // The lock has expired when the handler finishes, so neither Complete nor DeadLetter is accepted.
    private void LostLock(string operation, double second)
    {
        const string lost = "ServiceBusException: The lock supplied is invalid. (MessageLockLost)";
        Process(operation, second, "", 350, success: false, age: 61_000);
        Calls(operation, second, deliveryCode: "201");
        Settle(operation, "w5", second + 0.3, "Complete", 50, lost);
        Settle(operation, "w6", second + 0.35, "DeadLetter", 40, lost);
        Exception(
            operation,
            "w1",
            second + 0.3,
            "workflow",
            "Azure.Messaging.ServiceBus.ServiceBusException",
            "The lock supplied is invalid. (MessageLockLost)"
        );
    }

    private void Process(string operation, double second, string code, double duration, bool success, double age) =>
        Request(
            operation,
            "w1",
            "m1",
            second,
            "workflow",
            "ServiceBusProcessor.ProcessMessage",
            code,
            duration,
            success,
            age
        );

    private void Settle(
        string operation,
        string id,
        double second,
        string how,
        double duration,
        string? error = null
    ) =>
        Dependency(
            operation,
            id,
            "w1",
            second,
            "workflow",
            "servicebus",
            Bus,
            $"ServiceBusReceiver.{how}",
            "",
            duration,
            success: error is null,
            error
        );

    private void Calls(string operation, double second, string deliveryCode)
    {
        var success = deliveryCode == "201";
        Dependency(
            operation,
            "w2",
            "w1",
            second + 0.15,
            "workflow",
            "Http",
            "package",
            "PUT /api/packages/1",
            "200",
            12
        );
        Request(operation, "p1", "w2", second + 0.15, "package", "PUT /api/packages/{id}", "200", 10);
        Dependency(
            operation,
            "w3",
            "w1",
            second + 0.17,
            "workflow",
            "Http",
            "dronescheduler",
            "PUT /api/drones/1",
            "200",
            21
        );
        Request(operation, "s1", "w3", second + 0.17, "dronescheduler", "PUT /api/drones/{id}", "200", 20);
        Dependency(
            operation,
            "w4",
            "w1",
            second + 0.2,
            "workflow",
            "Http",
            "delivery",
            "PUT /api/deliveries/1",
            deliveryCode,
            37,
            success
        );
        Request(operation, "d1", "w4", second + 0.2, "delivery", "PUT /api/deliveries/{id}", deliveryCode, 35, success);
    }

    private void Redis()
    {
        Dependency("aa", "d2", "d1", 1.21, "delivery", "redis", "cache:6379", "SET", "", 2);
        Dependency("bb", "d2", "d1", 7.21, "delivery", "redis", "cache:6379", "SET", "", 4);
        Dependency("cc", "d2", "d1", 8.21, "delivery", "redis", "cache:6379", "SET", "OOM", 1, success: false);
        Dependency("dd", "d2", "d1", 12.21, "delivery", "redis", "cache:6379", "GET", "", 3);
    }

    private void Samples()
    {
        var queues = store.Define(SampleTables.Queues);
        // second, incoming, outgoing, completed, dead-letter: since the broker's start
        foreach (
            var (second, incoming, outgoing, completed, lost, deadLetter) in new (int, long, long, long, long, long)[]
            {
                (1, 100, 50, 40, 0, 0),
                (4, 110, 60, 45, 0, 0),
                (8, 150, 80, 60, 3, 1),
                (13, 200, 95, 70, 5, 2),
            }
        )
        {
            queues.Append(
                Start.AddSeconds(second),
                "delivery-requests",
                incoming,
                outgoing,
                completed,
                0,
                deadLetter,
                lost,
                lost,
                0,
                0,
                incoming - outgoing,
                outgoing - completed,
                0,
                0,
                deadLetter
            );
        }
        var nodes = store.Define(SampleTables.Nodes);
        for (var second = 1; second <= 10; second++)
        {
            nodes.Append(Start.AddSeconds(second), "node-1", 10.0 * second);
            nodes.Append(Start.AddSeconds(second), "node-2", 30.0);
        }
        var machine = store.Define(SampleTables.Machine);
        machine.Append(Start.AddSeconds(1), 20.0, 4.0);
        machine.Append(Start.AddSeconds(2), 90.0, 6.0);
        var redis = store.Define(SampleTables.Redis);
        redis.Append(Start.AddSeconds(1), 1000, 5000, 2);
        redis.Append(Start.AddSeconds(4), 2000, 5000, 4);
        redis.Append(Start.AddSeconds(8), 4900, 5000, 10);
        var receivers = store.Define(SampleTables.Receivers);
        receivers.Append(Start.AddSeconds(1), "delivery-requests", "c1", "l1", 10, 3, 3);
        receivers.Append(Start.AddSeconds(4), "delivery-requests", "c1", "l1", 4, 9, 9);
        receivers.Append(Start.AddSeconds(8), "delivery-requests", "c1", "l1", 9, 4, 9);
        receivers.Append(Start.AddSeconds(8), "delivery-requests", "c2", "l1", 6, 7, 7);
    }

    private void Request(
        string operation,
        string id,
        string? parent,
        double second,
        string role,
        string name,
        string code,
        double duration,
        bool success = true,
        double? age = null
    ) =>
        Send(
            "RequestData",
            operation,
            parent is null ? null : operation + parent,
            second,
            role,
            new()
            {
                ["id"] = operation + id,
                ["name"] = name,
                ["responseCode"] = code,
                ["success"] = success,
                ["duration"] = TimeSpan.FromMilliseconds(duration).ToString("c", CultureInfo.InvariantCulture),
                ["properties"] = age is null
                    ? null
                    : new Dictionary<string, string>
                    {
                        ["timeSinceEnqueued"] = age.Value.ToString(CultureInfo.InvariantCulture),
                    },
            }
        );

    private void Dependency(
        string operation,
        string id,
        string parent,
        double second,
        string role,
        string type,
        string target,
        string name,
        string code,
        double duration,
        bool success = true,
        string? error = null
    ) =>
        Send(
            "RemoteDependencyData",
            operation,
            operation + parent,
            second,
            role,
            new()
            {
                ["id"] = operation + id,
                ["name"] = name,
                ["type"] = type,
                ["target"] = target,
                ["data"] = $"{target} {name}",
                ["resultCode"] = code,
                ["success"] = success,
                ["duration"] = TimeSpan.FromMilliseconds(duration).ToString("c", CultureInfo.InvariantCulture),
                ["properties"] = error is null ? null : new Dictionary<string, string> { ["error.message"] = error },
            }
        );

    private void Exception(string operation, string parent, double second, string role, string type, string message) =>
        Send(
            "ExceptionData",
            operation,
            operation + parent,
            second,
            role,
            new() { ["exceptions"] = new[] { new { typeName = type, message } } }
        );

    private void Sent(string role, int sent, int refused, int lost) =>
        Send(
            "EventData",
            "",
            null,
            20,
            role,
            new()
            {
                ["name"] = "TelemetrySent",
                ["measurements"] = new
                {
                    sent,
                    refused,
                    lost,
                },
            }
        );

    private void Send(
        string type,
        string operation,
        string? parent,
        double second,
        string role,
        Dictionary<string, object?> data
    )
    {
        var item = new
        {
            time = Start.AddMilliseconds(Math.Round(second * 1000)),
            iKey = "k",
            tags = new Dictionary<string, string?>
            {
                ["ai.cloud.role"] = role,
                ["ai.cloud.roleInstance"] = $"{role}-0",
                ["ai.operation.id"] = operation,
                ["ai.operation.parentId"] = parent,
            },
            data = new { baseType = type, baseData = data },
        };
        Assert.Empty(store.Ingest(Encoding.UTF8.GetBytes(JsonSerializer.Serialize(item))).Errors);
    }
}
