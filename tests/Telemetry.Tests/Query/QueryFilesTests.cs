namespace DroneDelivery.Telemetry.Tests.Query;

/// <summary>The queries of loadtest/queries over <see cref="SmallRun"/>, with results computed manually.</summary>
public sealed class QueryFilesTests
{
    private static readonly TelemetrySnapshot Run = SmallRun.Make();

    private static readonly Dictionary<string, string> Answers = new()
    {
        ["throughput"] = """
            timestamp:datetime, succeeded:long, failed:long
            2030-01-01T00:00:00Z; 1; 0
            2030-01-01T00:00:05Z; 1; 0
            2030-01-01T00:00:10Z; 0; 1
            """,
        ["latency-by-target"] = """
            target:string, percentile_duration_50:real, percentile_duration_95:real, calls:long
            delivery; 37; 37; 4
            dronescheduler; 21; 21; 4
            localhost:5672/delivery-requests; 80; 100; 3
            package; 12; 12; 4
            """,
        ["failures-by-target"] = """
            cloud_RoleName:string, type:string, target:string, name:string, calls:long, failed:long, results:dynamic, percent:real
            delivery; redis; cache:6379; SET; 3; 1; ["OOM"]; 33.3
            workflow; Http; delivery; PUT /api/deliveries; 4; 1; ["503"]; 25
            workflow; servicebus; localhost:5672/delivery-requests; ServiceBusReceiver.Complete; 3; 1; [""]; 33.3
            workflow; servicebus; localhost:5672/delivery-requests; ServiceBusReceiver.DeadLetter; 2; 1; [""]; 50
            """,
        ["exceptions-by-type"] = """
            cloud_RoleName:string, type:string, count_:long, firstAt:datetime, lastAt:datetime, innermostMessage:string
            delivery; StackExchange.Redis.RedisServerException; 1; 2030-01-01T00:00:08.25Z; 2030-01-01T00:00:08.25Z; OOM command not allowed when used memory > 'maxmemory'.
            workflow; Azure.Messaging.ServiceBus.ServiceBusException; 1; 2030-01-01T00:00:12.3Z; 2030-01-01T00:00:12.3Z; The lock supplied is invalid. (MessageLockLost)
            """,
        ["errors-by-cause"] = """
            cloud_RoleName:string, name:string, resultCode:string, cause:string, errors:long, firstAt:datetime
            delivery; PUT /api/deliveries/{id}; 503; StackExchange.Redis.RedisServerException: OOM command not allowed when used memory > 'maxmemory'.; 1; 2030-01-01T00:00:08.2Z
            """,
        ["process-duration"] = """
            messages:long, avg_duration:real, percentile_duration_50:real, percentile_duration_95:real, failed:long
            4; 307.5; 250; 400; 2
            """,
        ["application-map-nodes"] = """
            cloud_RoleName:string, calls:long, failed:long, avg_duration:real, instances:long
            delivery; 4; 1; 35; 1
            dronescheduler; 4; 0; 20; 1
            ingestion; 2; 0; 5; 1
            package; 4; 0; 10; 1
            workflow; 4; 2; 307.5; 1
            """,
        ["application-map-edges"] = """
            cloud_RoleName:string, type:string, target:string, callee:string, calls:long, failed:long, avg_duration:real
            delivery; redis; cache:6379; ; 4; 1; 2.5
            workflow; Http; delivery; delivery; 4; 1; 37
            workflow; Http; dronescheduler; dronescheduler; 4; 0; 21
            workflow; servicebus; localhost:5672/delivery-requests; ; 5; 2; 66
            workflow; Http; package; package; 4; 0; 12
            """,
        ["service-bus-calls"] = """
            name:string, calls:long, failed:long, avg_duration:real
            ServiceBusReceiver.Complete; 3; 1; 76.66666666666667
            ServiceBusReceiver.DeadLetter; 2; 1; 50
            """,
        ["dead-letter-calls"] = """
            timestamp:datetime, succeeded:long, failed:long
            2030-01-01T00:00:05Z; 1; 0
            2030-01-01T00:00:10Z; 0; 1
            """,
        ["lock-lost"] = """
            timestamp:datetime, name:string, lost:long
            2030-01-01T00:00:10Z; ServiceBusReceiver.Complete; 1
            2030-01-01T00:00:10Z; ServiceBusReceiver.DeadLetter; 1
            """,
        ["message-age"] = """
            timestamp:datetime, percentile_age_50:real, percentile_age_95:real, max_age:real
            2030-01-01T00:00:00Z; 100; 100; 100
            2030-01-01T00:00:05Z; 100; 900; 900
            2030-01-01T00:00:10Z; 61000; 61000; 61000
            """,
        ["redis-calls"] = """
            cloud_RoleName:string, name:string, calls:long, failed:long, percentile_duration_50:real, percentile_duration_95:real
            delivery; SET; 3; 1; 2; 4
            delivery; GET; 1; 0; 3; 3
            """,
        ["failing-transaction"] = """
            table:string, timestamp:datetime, operation_Id:string, operation_ParentId:string, id:string, cloud_RoleName:string, name:string, resultCode:string, success:bool, duration:real, message:string
            union_arg0; 2030-01-01T00:00:08Z; cc; ccm1; ccw1; workflow; ServiceBusProcessor.ProcessMessage; ; false; 400; 
            union_arg0; 2030-01-01T00:00:08.15Z; cc; ccw2; ccp1; package; PUT /api/packages/{id}; 200; true; 10; 
            union_arg1; 2030-01-01T00:00:08.15Z; cc; ccw1; ccw2; workflow; Http: PUT /api/packages/1; 200; true; 12; package PUT /api/packages/1
            union_arg0; 2030-01-01T00:00:08.17Z; cc; ccw3; ccs1; dronescheduler; PUT /api/drones/{id}; 200; true; 20; 
            union_arg1; 2030-01-01T00:00:08.17Z; cc; ccw1; ccw3; workflow; Http: PUT /api/drones/1; 200; true; 21; dronescheduler PUT /api/drones/1
            union_arg0; 2030-01-01T00:00:08.2Z; cc; ccw4; ccd1; delivery; PUT /api/deliveries/{id}; 503; false; 35; 
            union_arg1; 2030-01-01T00:00:08.2Z; cc; ccw1; ccw4; workflow; Http: PUT /api/deliveries/1; 503; false; 37; delivery PUT /api/deliveries/1
            union_arg1; 2030-01-01T00:00:08.21Z; cc; ccd1; ccd2; delivery; redis: SET; OOM; false; 1; cache:6379 SET
            union_arg2; 2030-01-01T00:00:08.25Z; cc; ccd1; ; delivery; StackExchange.Redis.RedisServerException; ; ∅; ∅; OOM command not allowed when used memory > 'maxmemory'.
            union_arg1; 2030-01-01T00:00:08.4Z; cc; ccw1; ccw5; workflow; servicebus: ServiceBusReceiver.DeadLetter; ; true; 60; localhost:5672/delivery-requests ServiceBusReceiver.DeadLetter
            """,
        ["transactions-with-errors"] = """
            timestamp:datetime, operation_Id:string, cloud_RoleName:string, name:string, resultCode:string, calls:long, failed:long
            2030-01-01T00:00:08Z; cc; workflow; ServiceBusProcessor.ProcessMessage; ; 5; 2
            2030-01-01T00:00:12Z; dd; workflow; ServiceBusProcessor.ProcessMessage; ; 6; 2
            """,
        ["incoming-outgoing"] = """
            timestamp:datetime, queue:string, incoming:real, outgoing:real, completed:real
            2030-01-01T00:00:08.5Z; delivery-requests; 10; 3.888888888888889; 2.7777777777777777
            """,
        ["backlog"] = """
            timestamp:datetime, queue:string, active:long, locked:long, deadLetter:long, lockLost:long
            2030-01-01T00:00:00Z; delivery-requests; 50; 15; 0; 0
            2030-01-01T00:00:05Z; delivery-requests; 70; 20; 1; 3
            2030-01-01T00:00:10Z; delivery-requests; 105; 25; 2; 5
            """,
        ["node-cpu"] = """
            node:string, avg_cpu:real, percentile_cpu_95:real, max_cpu:real
            node-1; 55; 100; 100
            node-2; 30; 30; 30
            """,
        // There are no samples in the last seconds of the hour.
        ["right-now"] = """
            queue:string, incoming:real, outgoing:real, completed:real, lockLost:real, waiting:long, locked:long, deadLetter:long
            """,
        ["requests-per-second"] = """
            timestamp:datetime, accepted:long, other:long
            2030-01-01T00:00:00Z; 1; 0
            2030-01-01T00:00:05Z; 1; 0
            """,
        // Each delivery has one request in Workflow and three behind it. Ingestion responds to the first two.
        ["instances-per-second"] = """
            timestamp:datetime, instances:long
            2030-01-01T00:00:01Z; 5
            2030-01-01T00:00:07Z; 5
            2030-01-01T00:00:08Z; 4
            2030-01-01T00:00:12Z; 4
            """,
        // Node 1 uses 10 % times the second, and node 2 always 30 %: from 1 to 4 s, 5 to 9 s, and at 10 s.
        ["node-cpu-over-time"] = """
            timestamp:datetime, avg_cpu:real, max_cpu:real
            2030-01-01T00:00:00Z; 27.5; 30
            2030-01-01T00:00:05Z; 50; 70
            2030-01-01T00:00:10Z; 65; 100
            """,
        ["dead-letter-reasons"] = """
            reason:string, messages:long
            Workflow gave up: a call failed for good; 1
            the broker: delivered too often; 1
            """,
        ["buffer-wait"] = """
            timestamp:datetime, held:real, perSecond:real, seconds:real
            2030-01-01T00:00:00Z; 6; 0.2; 30
            2030-01-01T00:00:05Z; 11; 0.2; 55
            """,
        ["cache-full"] = """
            errors:long, firstAt:datetime, lastAt:datetime
            1; 2030-01-01T00:00:08.2Z; 2030-01-01T00:00:08.2Z
            """,
        // The broker's samples count 100 incoming and 30 completed messages, but this run's telemetry only 2 and 2. The
        // rest is unaccounted.
        ["conservation"] = """
            accepted:long, completed:long, deadLettered:long, queued:long, unaccounted:long, brokerAccepted:long, brokerCompleted:long
            2; 2; 2; 70; -72; 100; 30
            """,
        ["machine-cpu"] = """
            avg_cpu:real, percentile_cpu_95:real, max_cpu:real, avg_labCpu:real
            55; 90; 90; 5
            """,
        ["redis-memory"] = """
            timestamp:datetime, max_usedMemory:long, max_maxMemory:long, max_keys:long
            2030-01-01T00:00:00Z; 2000; 5000; 4
            2030-01-01T00:00:05Z; 4900; 5000; 10
            """,
        ["prefetch-buffer"] = """
            timestamp:datetime, connection:string, link:string, max_unsettled:long
            2030-01-01T00:00:00Z; c1; l1; 9
            2030-01-01T00:00:05Z; c1; l1; 4
            2030-01-01T00:00:05Z; c2; l1; 7
            """,
        ["client-latency"] = """
            timestamp:datetime, percentile_duration_50:real, percentile_duration_95:real, percentile_duration_99:real, failed:long
            2030-01-01T00:00:00Z; 5; 5; 5; 0
            2030-01-01T00:00:05Z; 5; 5; 5; 0
            """,
        // 100 ms in the queue, and 150 ms more than the Complete calls of 80 and 100 ms.
        ["completed-age"] = """
            timestamp:datetime, percentile_age_50:real, percentile_age_95:real, percentile_age_99:real
            2030-01-01T00:00:00Z; 330; 330; 330
            2030-01-01T00:00:05Z; 350; 350; 350
            """,
        ["delivery-time"] = """
            percentile_age_50:real, percentile_age_95:real, percentile_age_99:real
            330; 350; 350
            """,
        // The unnamed transaction is empty.
        ["transaction"] = """
            table:string, timestamp:datetime, operation_Id:string, operation_ParentId:string, id:string, cloud_RoleName:string, cloud_RoleInstance:string, name:string, resultCode:string, success:bool, duration:real, message:string, attributes:dynamic, measures:dynamic, stack:dynamic
            """,
        // Accepted 100 ms before the handling started, and the last one a minute.
        ["late-deliveries"] = """
            operation_Id:string, delivery:string, accepted:datetime, seconds:real, attempts:long, resultCode:string, success:bool
            dd; ; 2029-12-31T23:59:11Z; 61.35; 1; ; false
            cc; ; 2030-01-01T00:00:07.1Z; 1.3; 1; ; false
            bb; ; 2030-01-01T00:00:07Z; 0.35; 1; 200; true
            aa; ; 2030-01-01T00:00:01Z; 0.33; 1; 200; true
            """,
        ["operations"] = """
            cloud_RoleName:string, name:string, calls:long, failed:long, percentile_duration_50:real, percentile_duration_95:real, percentile_duration_99:real
            delivery; PUT /api/deliveries/{id}; 4; 1; 35; 35; 35
            dronescheduler; PUT /api/drones/{id}; 4; 0; 20; 20; 20
            ingestion; POST /api/deliveryrequests; 2; 0; 5; 5; 5
            package; PUT /api/packages/{id}; 4; 0; 10; 10; 10
            workflow; ServiceBusProcessor.ProcessMessage; 4; 2; 250; 400; 400
            """,
        // One item of Package is missing. The other three services reported nothing.
        ["telemetry-account"] = """
            cloud_RoleName:string, cloud_RoleInstance:string, sent:long, kept:long, refused:long, lost:long, unaccounted:long
            delivery; delivery-0; ∅; 9; ∅; ∅; ∅
            dronescheduler; dronescheduler-0; ∅; 4; ∅; ∅; ∅
            ingestion; ingestion-0; 3; 3; 0; 0; 0
            package; package-0; 8; 5; 1; 1; 1
            workflow; workflow-0; ∅; 22; ∅; ∅; ∅
            """,
    };

    public static TheoryData<string> Files => [.. QueryTexts.All.Keys];

    [Theory, MemberData(nameof(Files))]
    public void Query_file_starts_with_its_question_and_answers_it(string name)
    {
        Assert.True(Answers.TryGetValue(name, out var answer), $"This test has no expected result for {name}.kql.");
        var text = QueryTexts.All[name];
        var hour = new Dictionary<string, object> { ["start"] = SmallRun.Start, ["end"] = SmallRun.Start.AddHours(1) };

        Assert.Equal(Lines(answer!), Lines(Answer.To(text, Run, new() { Let = hour })));
        Assert.Contains('?', KqlQuery.Parse(text).Question!);
        Answer.To(text, Run); // Also without a time range.
    }

    // Editors remove trailing blanks.
    private static IEnumerable<string> Lines(string text) => text.Split('\n').Select(line => line.TrimEnd());
}
