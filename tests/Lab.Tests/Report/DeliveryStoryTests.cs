using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Tests.Report;

public sealed class DeliveryStoryTests : IAsyncDisposable
{
    private readonly TelemetryStore _store = new();

    public ValueTask DisposeAsync() => _store.DisposeAsync();

    [Fact]
    public void Where_the_time_went_comes_first_and_then_each_handling()
    {
        Handled(at: 5, seconds: 1, waited: 5, id: "h1");
        Called("h1", at: 5.1, seconds: 0.7, "PUT /api/packages/{id}", "package", "200");
        Settled("h1", at: 5.9, "Complete");

        Assert.Equal(
            [
                "6.0 s from acceptance to the end of the last handling, of which 5.0 s waiting in the queue.",
                "It waited 5.0 s in the queue before workflow-0 handled it.",
                "Handling 1 of 1, workflow-0, 1.0 s: completed.",
                "Slowest call: PUT /api/packages/{id} of package took 700 ms.",
            ],
            Story()
        );
    }

    [Fact]
    public void Each_of_several_handlings_says_how_it_ended()
    {
        Handled(at: 0.1, seconds: 2, waited: 0.1, id: "h1", failed: true);
        Settled("h1", at: 2, "Complete", error: "The lock supplied is invalid. (MessageLockLost)");
        Handled(at: 3, seconds: 1, waited: 3, id: "h2", failed: true);
        Called("h2", at: 3.1, seconds: 0.5, "PUT /api/packages/{id}", "package", "503");
        Settled("h2", at: 3.9, "Abandon");
        Handled(at: 4, seconds: 1, waited: 4, id: "h3", failed: true, result: "TooHeavy");
        Settled("h3", at: 4.9, "DeadLetter");
        Handled(at: 6, seconds: 1, waited: 6, id: "h4");
        Handled(at: 8, seconds: 1, waited: 8, id: "h5");
        Called("h5", at: 8.1, seconds: 0.5, "PUT /api/packages/{id}", "package", "503");
        Settled("h5", at: 8.7, "Schedule");
        Settled("h5", at: 8.8, "Complete");
        Handled(at: 10, seconds: 1, waited: 10, id: "h6", source: "localhost/delivery-requests/$deadletterqueue");
        Settled("h6", at: 10.9, "Complete");

        Assert.Equal(
            [
                "Handling 1 of 6, workflow-0, 2.0 s: its lock was lost before it was settled, so the message was delivered again.",
                "Handling 2 of 6, workflow-0, 1.0 s: returned to the queue after PUT /api/packages/{id} of package answered 503.",
                "Handling 3 of 6, workflow-0, 1.0 s: moved to the dead-letter queue (TooHeavy).",
                "Handling 4 of 6, workflow-0, 1.0 s: not settled.",
                "Handling 5 of 6, workflow-0, 1.0 s: put off after PUT /api/packages/{id} of package answered 503.",
                "Handling 6 of 6, workflow-0, 1.0 s: what the failed request had begun is undone.",
            ],
            Story().Where(it => it.StartsWith("Handling ", StringComparison.Ordinal))
        );
    }

    [Fact]
    public void Warnings_of_no_request_are_told_with_their_time()
    {
        Handled(at: 9, seconds: 0.1, waited: 9, id: "h1");
        SentItem.Add(
            _store,
            At(-3),
            "MessageData",
            new { message = "Paused.", severityLevel = "Warning" },
            operation: ""
        );
        SentItem.Add(
            _store,
            At(2),
            "MessageData",
            new { message = "Still.", severityLevel = "Warning" },
            operation: ""
        );
        SentItem.Add(
            _store,
            At(2),
            "MessageData",
            new { message = "Of another.", severityLevel = "Warning" },
            operation: "other"
        );

        var story = Story();

        Assert.Contains("workflow-0 warned 3.0 s before it was accepted: Paused.", story);
        Assert.Contains("workflow-0 warned 2.0 s after it was accepted: Still.", story);
        Assert.DoesNotContain(story, it => it.Contains("Of another.", StringComparison.Ordinal));
    }

    [Fact]
    public void Hundreds_of_handlings_are_told_in_six()
    {
        for (var i = 0; i < 200; i++)
            Handled(at: i, seconds: 0.5, waited: i, id: $"h{i}");
        Called("h7", at: 7.1, seconds: 0.3, "PUT /api/packages/{id}", "package", "200");

        var told = Story().Skip(1).ToList(); // neither a wait nor a call is worth a sentence in 200 seconds

        Assert.Equal(6, told.Count);
        Assert.StartsWith("Handling 200 of 200", told[^1], StringComparison.Ordinal);
    }

    [Fact]
    public void An_exception_has_its_attributes_and_the_stacks_of_its_chain_and_without_a_message_there_is_no_story()
    {
        SentItem.Add(
            _store,
            At(0),
            "ExceptionData",
            new
            {
                properties = new { deliveryId = "d1" },
                exceptions = new object[]
                {
                    new
                    {
                        typeName = "Outer",
                        message = "failed",
                        parsedStack = new[]
                        {
                            new
                            {
                                method = "A.B",
                                fileName = "A.cs",
                                line = 7,
                            },
                        },
                    },
                    new
                    {
                        typeName = "Inner",
                        message = "refused",
                        stack = "   at C.D",
                    },
                },
            },
            "o"
        );

        var step = Assert.Single(Asked().Steps);

        Assert.Equal("Outer: failed\n   at A.B in A.cs:7\nInner: refused\n   at C.D", step.Stack);
        Assert.Equal([("deliveryId", "d1")], step.Attributes);
        Assert.Empty(Story());
    }

    private RunTelemetry Telemetry => new(_store.Snapshot());

    private Transaction Asked() =>
        Transaction.Of(
            Telemetry.AskAll(TransactionQuery.Of(["o"]), DateTimeOffset.MaxValue, cancellationToken: Cancel)
        )!;

    private IReadOnlyList<string> Story() => DeliveryStory.Of(Asked(), Telemetry, QueryLimits.Default, Cancel);

    private void Handled(
        double at,
        double seconds,
        double waited,
        string id,
        bool failed = false,
        string result = "200",
        string source = "queue"
    ) =>
        SentItem.AddStep(
            _store,
            At(at),
            "o",
            id,
            "ServiceBusProcessor.ProcessMessage",
            seconds,
            code: result,
            success: !failed,
            parent: "sent",
            source: source,
            waited: waited
        );

    private void Called(string parent, double at, double seconds, string name, string target, string code) =>
        SentItem.AddStep(
            _store,
            At(at),
            "o",
            $"{parent}-{at}",
            name,
            seconds,
            target,
            code,
            success: code == "200",
            parent
        );

    private void Settled(string parent, double at, string how, string? error = null) =>
        SentItem.AddStep(
            _store,
            At(at),
            "o",
            $"{parent}-{at}",
            $"ServiceBusReceiver.{how}",
            0.05,
            "localhost/delivery-requests",
            "",
            error is null,
            parent,
            error: error
        );

    private static DateTimeOffset At(double seconds) => ImitatedRun.Start.AddSeconds(seconds);
}
