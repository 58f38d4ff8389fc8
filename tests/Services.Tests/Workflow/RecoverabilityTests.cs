using System.Diagnostics.Metrics;
using System.Net;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Calls;
using DroneDelivery.Contracts;
using DroneDelivery.Testing;
using DroneDelivery.Workflow;
using DroneDelivery.Workflow.Calls;
using DroneDelivery.Workflow.Receiving;
using Microsoft.AspNetCore.Mvc;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;
using Polly.CircuitBreaker;
using Settlement = DroneDelivery.Workflow.Receiving.Settlement;

namespace DroneDelivery.Services.Tests.Workflow;

/// <summary>The table of what happens to a message, by a clock that stands still.</summary>
public sealed class RecoverabilityTests : IDisposable
{
    private static readonly HttpRequestException Away = new("away");
    private static readonly HttpRequestException Defect = new("500", null, HttpStatusCode.InternalServerError);

    private readonly ServiceProvider _services = new ServiceCollection().AddMetrics().BuildServiceProvider();
    private readonly ManualTimeProvider _time = new();
    private readonly Circuits _circuits;

    public RecoverabilityTests() =>
        _circuits = new(_services.GetRequiredService<IMeterFactory>(), _time, NullLogger<Circuits>.Instance);

    public void Dispose() => _services.Dispose();

    [Theory]
    [InlineData(null, 1)]
    [InlineData(1, 2)]
    [InlineData(9, 512)]
    [InlineData(99, 1024)]
    [InlineData(100, null)]
    public void A_message_before_its_delivery_is_postponed_doubled_each_time_and_completed_in_the_end(
        int? before,
        int? seconds
    )
    {
        var properties = before is { } times
            ? new Dictionary<string, object> { [QueueMessage.PostponedProperty] = times }
            : [];
        properties[QueueMessage.OperationProperty] = QueueMessage.Cancel;
        var message = ServiceBusModelFactory.ServiceBusReceivedMessage(properties: properties);
        var notRecorded = new PermanentFailureException("RequestRefused", "not yet")
        {
            Problem = new() { Status = 404 },
        };

        var settlement = With(new() { PostponeDelay = TimeSpan.FromSeconds(1) }).Of(notRecorded, message);

        if (seconds is null)
            Assert.IsType<Settlement.Complete>(settlement);
        else
            Assert.Equal(TimeSpan.FromSeconds(seconds.Value), Assert.IsType<Settlement.Postpone>(settlement).Delay);
    }

    [Fact]
    public void A_message_whose_service_gives_no_answer_is_postponed_however_often_until_others_are_handled_meanwhile()
    {
        var recoverability = With(new());
        var message = Message();
        for (var i = 0; i < 100; i++)
        {
            Exception failure = i % 2 == 0 ? new OperationCanceledException() : Away;
            message = Again(Assert.IsType<Settlement.Postpone>(recoverability.Of(failure, message)));
        }

        recoverability.Handled(Message("cancel")); // another operation, which may call other services
        message = Again(Assert.IsType<Settlement.Postpone>(recoverability.Of(Away, message)));
        for (var failure = 1; failure < 20; failure++)
        {
            recoverability.Handled(Message());
            message = Again(Assert.IsType<Settlement.Abandon>(recoverability.Of(Away, message)));
        }
        recoverability.Handled(Message());

        Assert.Equal("FailedTooOften", Assert.IsType<Settlement.DeadLetter>(recoverability.Of(Away, message)).Reason);
    }

    [Fact]
    public void A_message_whose_handler_was_cancelled_is_not_to_blame_although_it_had_failed_before()
    {
        var recoverability = With(new());
        var message = Again(recoverability.Of(Away, Message()));
        recoverability.Handled(Message(id: "order-2"));

        Assert.False(recoverability.IsOwnFault(new OperationCanceledException(), message));
        Assert.True(recoverability.IsOwnFault(Away, message));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_message_that_meets_one_outage_after_another_loses_no_delivery_before_the_twentieth(bool deadLetters)
    {
        var recoverability = With(
            new() { FailurePolicy = deadLetters ? FailurePolicy.DeadLetter : FailurePolicy.Abandon }
        );
        _circuits.Set("package", CircuitState.Open);
        var message = Again(recoverability.Of(Away, Message()));
        for (var outage = 2; outage <= 20; outage++)
        {
            recoverability.Handled(Message(id: "order-2"));
            message = Again(Assert.IsType<Settlement.Postpone>(recoverability.Of(Away, message)));
        }
        recoverability.Handled(Message(id: "order-2"));

        Assert.Equal("FailedTooOften", Assert.IsType<Settlement.DeadLetter>(recoverability.Of(Away, message)).Reason);
    }

    [Theory]
    [InlineData(301)]
    [InlineData(408)]
    [InlineData(429)]
    [InlineData(501)]
    public void An_answer_that_says_nothing_of_the_request_costs_no_delivery(int status) =>
        Assert.IsType<Settlement.Postpone>(
            With(new()).Of(new HttpRequestException("answered", null, (HttpStatusCode)status), Message())
        );

    [Fact]
    public void A_service_that_answers_500_to_many_different_messages_and_to_none_otherwise_has_an_outage()
    {
        var recoverability = With(new());
        for (var i = 0; i < 3; i++)
            Assert.IsType<Settlement.Abandon>(recoverability.Of(Defect, Message(id: $"order-{i}")));
        Assert.IsType<Settlement.Abandon>(recoverability.Of(Defect, Message(id: "order-0"))); // the same one again

        Assert.IsType<Settlement.Postpone>(recoverability.Of(Defect, Message(id: "order-3")));
        recoverability.Handled(Message());
        Assert.IsType<Settlement.Abandon>(recoverability.Of(Defect, Message(id: "order-3")));
    }

    [Fact]
    public void Dead_letters_that_cannot_be_undone_are_no_outage_of_the_queue()
    {
        var recoverability = With(new());
        for (var i = 0; i < 10; i++)
        {
            Assert.True(
                recoverability.IsOwnFault(Defect, Message(id: $"dead-{i}", deadLetterReason: "RequestRefused"))
            );
        }

        Assert.IsType<Settlement.Abandon>(recoverability.Of(Defect, Message()));
    }

    [Fact]
    public void A_dead_letter_keeps_as_much_of_the_problem_as_the_broker_takes()
    {
        var problem = new ProblemDetails { Type = "urn:x", Detail = new('x', 100_000) };

        var settlement = With(new())
            .Of(new PermanentFailureException("RequestRefused", "no") { Problem = problem }, Message());

        Assert.Equal(4_096, ((string)settlement.Properties[Recoverability.ProblemDetail]).Length);
    }

    private static ServiceBusReceivedMessage Message(
        string operation = QueueMessage.Delivery,
        string id = "order-1",
        string? deadLetterReason = null
    )
    {
        var properties = new Dictionary<string, object> { [QueueMessage.OperationProperty] = operation };
        if (deadLetterReason is not null)
            properties["DeadLetterReason"] = deadLetterReason;
        return ServiceBusModelFactory.ServiceBusReceivedMessage(
            messageId: id,
            deliveryCount: 1,
            properties: properties
        );
    }

    /// <summary>A minute later, with what the settlement wrote into it.</summary>
    private ServiceBusReceivedMessage Again(Settlement settlement)
    {
        _time.Advance(TimeSpan.FromMinutes(1));
        return ServiceBusModelFactory.ServiceBusReceivedMessage(
            messageId: "order-1",
            deliveryCount: 1,
            properties: new Dictionary<string, object>(settlement.Properties)
            {
                [QueueMessage.OperationProperty] = QueueMessage.Delivery,
            }
        );
    }

    private Recoverability With(WorkflowOptions options) =>
        new(Options.Create(options), Options.Create(new ResilienceOptions()), _circuits, _time);
}
