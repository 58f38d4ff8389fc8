using System.Text.Json;
using Azure.Core.Amqp;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;

namespace DroneDelivery.Services.Tests.Workflow;

public sealed class FailureTests
{
    private const string NoPlaceOnEarth =
        """{ "deliveryId": "order-1", "dropOffLocation": { "latitude": 1e10, "longitude": 0 } }""";

    [Theory]
    [InlineData("delivery", """{ "ownerId": """, "Unparsable", "JSON")]
    [InlineData("delivery", """{ "deliveryId": "order-1" }""", "Unparsable", "ownerId: Required.")]
    [InlineData("cancel", """{ "deliveryId": "no id" }""", "Unparsable", "deliveryId")]
    [InlineData("reschedule", NoPlaceOnEarth, "Unparsable", "dropOffLocation.latitude")]
    [InlineData(
        "reschedule",
        """{ "deliveryId": "order-1", "deadline": "2031-01-01T00:00:00Z" }""",
        "Unparsable",
        "acceptedAt"
    )]
    [InlineData("reschedule", """{ "pickupTime": "2030-01-01T00:00:00Z" }""", "Unparsable", "deliveryId")]
    [InlineData("cancel", "null", "Unparsable", "null")]
    [InlineData("explode", "{}", "UnknownOperation", "'explode'")]
    [InlineData(null, "{}", "UnknownOperation", "missing")]
    public async Task Invalid_message_is_dead_lettered_immediately_with_its_reason(
        string? operation,
        string body,
        string reason,
        string description
    )
    {
        await using var workflow = await WorkflowUnderTest.StartAsync();
        var message = new ServiceBusMessage(body)
        {
            MessageId = "poison",
            // Parsed last, and only for changes.
            ApplicationProperties = { [QueueMessage.AcceptedProperty] = "yesterday" },
        };
        if (operation is not null)
            message.ApplicationProperties[QueueMessage.OperationProperty] = operation;

        await workflow.Queue.SendAsync(message, QueueMessages.Delivery(SampleRequests.Delivery("order-2")));

        var dead = await workflow.Queue.TakeDeadLetterAsync();
        Assert.Equal(("poison", reason), (dead.MessageId, dead.DeadLetterReason));
        Assert.Contains(description, dead.DeadLetterErrorDescription, StringComparison.Ordinal);
        Assert.Equal(body, dead.Body.ToString());
        await Eventually.TrueAsync(() => workflow.Queue.Counts.Completed == 1);
        Assert.Equal(0, workflow.Queue.Counts.Redelivered);
    }

    [Fact]
    public async Task JMS_text_message_is_dead_lettered_immediately()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync();
        var message = QueueMessages.Delivery(SampleRequests.Delivery("order-1"));
        message.GetRawAmqpMessage().Body = AmqpMessageBody.FromValue("{}");

        await workflow.Queue.SendAsync(message);

        Assert.Equal("Unparsable", (await workflow.Queue.TakeDeadLetterAsync()).DeadLetterReason);
    }

    [Fact]
    public async Task Rejected_request_is_dead_lettered_with_the_rejecting_service()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync();
        workflow.Backends.Answer(call =>
            call.Path.StartsWith("/api/dronedeliveries", StringComparison.Ordinal) ? 400 : null
        );

        await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));

        var dead = await workflow.Queue.TakeDeadLetterAsync();
        Assert.Equal("RequestRefused", dead.DeadLetterReason);
        Assert.Contains(
            "PUT http://dronescheduler/api/dronedeliveries/order-1 returned 400",
            dead.DeadLetterErrorDescription,
            StringComparison.Ordinal
        );
        Assert.Contains("Requested by the test", dead.DeadLetterErrorDescription, StringComparison.Ordinal);
        Assert.Equal(1, workflow.Queue.Counts.Outgoing);
    }

    [Fact]
    public async Task Message_is_retried_until_it_succeeds()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync();
        var failures = new Queue<int>([408, 429, 503]);
        workflow.Backends.Answer(call =>
            call.Path == "/api/deliveries/order-1" && failures.TryDequeue(out var status) ? status : null
        );

        await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));

        await Eventually.TrueAsync(() => workflow.Queue.Counts.Completed == 4); // Three of them are copies.
        Assert.Equal((0, 4), (workflow.Queue.Counts.Abandoned, workflow.Queue.Counts.Outgoing));
    }

    [Fact]
    public async Task HTML_error_page_is_not_a_rejection()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(new() { ["Workflow:HoldDuringOutage"] = "true" });
        workflow.Backends.AnswersWithPages = true;
        var pages = new Queue<int>([400, 404]);
        workflow.Backends.Answer(_ => pages.TryDequeue(out var status) ? status : null);

        await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));

        await Eventually.TrueAsync(() => workflow.Queue.Counts.Completed == 3); // Two of them were postponed.
        Assert.True(workflow.Backends.Deliveries.ContainsKey("order-1"));
        Assert.Equal((0, 0), (workflow.Queue.Counts.DeadLettered, workflow.Queue.Counts.Abandoned));
    }

    [Fact]
    public async Task First_failure_dead_letters_without_retries()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(new() { ["Workflow:RetryFor"] = "00:00:00" });
        workflow.Backends.Answer(call => call.Path == "/api/deliveries/order-1" ? 503 : null);

        await workflow.Queue.SendAsync(QueueMessages.Delivery(SampleRequests.Delivery("order-1")));

        var dead = await workflow.Queue.TakeDeadLetterAsync();
        Assert.Equal("HandlingFailed", dead.DeadLetterReason);
        Assert.Contains(
            "PUT http://delivery/api/deliveries/order-1 returned 503",
            dead.DeadLetterErrorDescription,
            StringComparison.Ordinal
        );
        Assert.Equal((0, 1), (workflow.Queue.Counts.Abandoned, workflow.Queue.Counts.Outgoing));
    }

    [Fact]
    public async Task Message_that_fails_for_too_long_is_dead_lettered()
    {
        var time = WorkflowUnderTest.CreateTime();
        await using var workflow = await WorkflowUnderTest.StartAsync(
            new() { ["Workflow:RetryDelay"] = "00:01:00", ["Workflow:RetryFor"] = "00:03:00" },
            time: time
        );
        workflow.Backends.Answer(call => call.Path == "/api/deliveries/poison" ? 500 : null);

        await workflow.Queue.SendAsync(
            new[] { "order-1", "poison", "order-2" }.Select(id => QueueMessages.Delivery(SampleRequests.Delivery(id)))
        );

        for (var retry = 0; retry < 2; retry++)
        {
            await Eventually.TrueAsync(() => workflow.Queue.Counts is { Scheduled: 1, Active: 0, Locked: 0 });
            time.Advance(TimeSpan.FromMinutes(1 << retry));
        }
        var dead = await workflow.Queue.TakeDeadLetterAsync();
        Assert.Equal(("poison", "HandlingFailed"), (dead.CorrelationId, dead.DeadLetterReason));
        Assert.Contains("returned 500", dead.DeadLetterErrorDescription, StringComparison.Ordinal);
        Assert.Equal(2, workflow.Backends.Deliveries.Count);
        Assert.Equal(3, workflow.Backends.Calls.Count(call => call.Path == "/api/deliveries/poison"));
    }

    [Fact]
    public async Task Delivery_is_recorded_despite_a_transient_failure()
    {
        await using var workflow = await WorkflowUnderTest.StartAsync(
            new() { ["Resilience:RetryDelays"] = null, ["Resilience:RetryDelays:0"] = "00:00:00" }
        );
        var failures = 1;
        workflow.Backends.Answer(call =>
            call.Path == "/api/dronedeliveries/order-1" && Interlocked.Decrement(ref failures) >= 0 ? 503 : null
        );
        var newer = JsonSerializer.SerializeToNode(SampleRequests.Delivery("order-1"), ContractJson.Options)!;
        newer["insurance"] = true; // A newer Ingestion may send more properties.
        newer["packageInfo"]!["color"] = "red";
        var message = QueueMessages.Message(QueueMessage.Delivery, "order-1", newer);
        message.ApplicationProperties[QueueMessage.AttemptProperty] = 2L; // Not every producer sends an int.

        await workflow.Queue.SendAsync(message);

        await Eventually.TrueAsync(() => workflow.Queue.Counts.Completed == 1);
        Assert.Equal(1, workflow.Queue.Counts.Outgoing);
        const string drone = "PUT /api/dronedeliveries/order-1";
        Assert.Equal(
            ["PUT /api/packages/package-order-1", drone, drone, "PUT /api/deliveries/order-1"],
            workflow.Backends.Calls.Select(call => $"{call.Method} {call.Path}")
        );
        Assert.Equal(
            (22, 2),
            (
                workflow.Backends.Deliveries["order-1"].Fingerprint?.Length,
                workflow.Backends.Deliveries["order-1"].Attempt
            )
        );
    }
}
