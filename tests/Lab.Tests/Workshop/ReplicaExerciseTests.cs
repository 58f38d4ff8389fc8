using DroneDelivery.Lab.Workshop;

namespace DroneDelivery.Lab.Tests.Workshop;

/// <summary>The exercise about a replica that is away, over telemetry as the page and the services leave it.</summary>
public sealed class ReplicaExerciseTests : IAsyncDisposable
{
    private readonly TelemetryStore _store = new();
    private int _operation;

    [Fact]
    public void Who_stops_one_under_load_starts_it_again_and_counts_has_solved_it()
    {
        Play(deliveries: 30, failedCalls: 14, deadLetters: 2);

        Assert.Null(Missing("14, 2"));
        Assert.Null(Missing("15, 2"));
        Assert.Equal("so many calls failed", Missing("11, 2"));
        Assert.Equal("so many were lost", Missing("14, 0"));
        Assert.Equal("the answer is two numbers", Missing("fourteen, 2"));
        Assert.Equal("the answer is two numbers", Missing("14"));
    }

    [Fact]
    public void Calls_that_failed_before_and_after_are_not_counted_nor_those_of_Ingestion()
    {
        Call(second: 1, "delivery", success: false);
        Play(deliveries: 5, failedCalls: 9, deadLetters: 0);
        Call(second: 59, "delivery", success: false);
        // Who waits for a delivery asks for it. Asked too early, Delivery answers 404.
        for (var i = 0; i < 100; i++)
            Call(second: 21, "delivery", success: false, role: "ingestion");

        Assert.Null(Missing("9, 0"));
        Assert.Equal("so many calls failed", Missing("12, 0"));
    }

    /// <summary>The broker needs no DeadLetter of a receiver: it counts deliveries.</summary>
    [Fact]
    public void What_the_broker_dead_letters_is_lost_too_and_what_is_put_off_is_still_under_way()
    {
        Play(deliveries: 4, failedCalls: 3, deadLetters: 0);
        GiveToOperators(Accept(20));
        Assert.Null(Missing("3, 1"));

        var putOff = Accept(20);
        Settle(putOff, "Complete");
        Dependency(45, putOff, "localhost/delivery-requests", "ServiceBusSender.Schedule", true);
        Assert.Equal("every message has come to an end", Missing("3, 1"));
        Settle(putOff, "Complete");
        Assert.Null(Missing("3, 1"));
    }

    [Fact]
    public void What_was_not_done_is_said_in_its_order()
    {
        Assert.Equal("a replica of Delivery was stopped on the live page", Missing("0, 0"));
        Event(10, "ReplicaStopped", "package-0");
        Assert.Equal("a replica of Delivery was stopped on the live page", Missing("0, 0"));
        Event(11, "ReplicaStopped", "delivery-0");
        Assert.Equal("it was started again", Missing("0, 0"));
        Event(20, "ReplicaStarted", "delivery-1");
        Assert.Equal("it was started again", Missing("0, 0"));
        Event(40, "ReplicaStarted", "delivery-0");
        Assert.Equal("deliveries were on their way meanwhile", Missing("0, 0"));
        Accept(15);
        Assert.Equal("every message has come to an end", Missing("0, 0"));
    }

    [Fact]
    public void What_it_is_checked_in_is_a_folder_with_telemetry_or_a_part_of_its_name()
    {
        using var own = new OwnFolder();
        var folder = own.Path;
        var empty = Assert.Throws<BadInputException>(() => ReplicaExercise.Only.Find(folder));
        File.WriteAllText(Path.Combine(folder, TelemetryCollector.FileName), "");
        var other = Assert.Throws<BadInputException>(() => ReplicaExercise.Only.Find("no-such-application"));

        Assert.Equal(folder, ReplicaExercise.Only.Find(folder));
        Assert.Equal($"{folder} has no telemetry. Begin with ./lab up --replicas delivery=2.", empty.Message);
        Assert.StartsWith(
            "no-such-application is not an application of ./lab up in ",
            other.Message,
            StringComparison.Ordinal
        );
    }

    public ValueTask DisposeAsync() => _store.DisposeAsync();

    private string? Missing(string answer) =>
        ReplicaExercise
            .Only.Check(new(_store.Snapshot()), answer)
            .FirstOrDefault(finding => finding.Holds == false)
            ?.Claim;

    private void Play(int deliveries, int failedCalls, int deadLetters)
    {
        Event(10, "ReplicaStopped", "delivery-0");
        for (var i = 0; i < deliveries; i++)
        {
            var operation = Accept(20);
            Settle(operation, i < deadLetters ? "DeadLetter" : "Complete");
            if (i < deadLetters)
                GiveToOperators(operation);
        }
        for (var i = 0; i < failedCalls; i++)
            Call(21, "delivery", success: false);
        Event(40, "ReplicaStarted", "delivery-0");
    }

    private string Accept(int second)
    {
        var operation = $"o{_operation++}";
        SentItem.AddStep(
            _store,
            ImitatedRun.Start.AddSeconds(second),
            operation,
            operation,
            "POST /api/deliveryrequests",
            code: "202",
            role: "ingestion"
        );
        return operation;
    }

    private void Settle(string operation, string how) =>
        Dependency(45, operation, "localhost/delivery-requests", $"ServiceBusReceiver.{how}", true);

    /// <summary>As the supervisor does, within the same operation: a copy for the operators, and the dead letter is completed.</summary>
    private void GiveToOperators(string operation)
    {
        Dependency(46, operation, "localhost/delivery-requests-failed", "ServiceBusSender.Send", true);
        Dependency(46, operation, "localhost/delivery-requests/$DeadLetterQueue", "ServiceBusReceiver.Complete", true);
    }

    private void Call(int second, string target, bool success, string role = "workflow") =>
        Dependency(second, "o", target, "PUT", success, role);

    private void Dependency(
        int second,
        string operation,
        string target,
        string name,
        bool success,
        string role = "workflow"
    ) =>
        SentItem.AddStep(
            _store,
            ImitatedRun.Start.AddSeconds(second),
            operation,
            "d",
            name,
            target: target,
            code: "",
            success: success,
            role: role
        );

    private void Event(int second, string name, string replica) =>
        SentItem.Add(
            _store,
            ImitatedRun.Start.AddSeconds(second),
            "EventData",
            new { name },
            operation: "",
            role: "lab",
            instance: replica
        );
}
