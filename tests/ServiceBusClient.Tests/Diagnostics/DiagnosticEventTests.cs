using System.Diagnostics;
using DroneDelivery.Testing;

namespace Azure.Messaging.ServiceBus.Tests.Diagnostics;

[Collection(nameof(WithoutOtherListeners))]
public sealed class DiagnosticEventTests : BusTest
{
    [Fact]
    public async Task Sending_tells_of_the_message_and_of_the_send_with_all_tags_at_the_start()
    {
        var queue = Broker.CreateQueue();
        using var events = new DiagnosticEvents(queue.Name);

        await Sender(queue).SendMessageAsync(new ServiceBusMessage("x"), Cancelled);

        Assert.Equal(
            ["Message.Start", "Message.Stop", "ServiceBusSender.Send.Start", "ServiceBusSender.Send.Stop"],
            events.All.Select(e => e.Name));
        Assert.Equal(
            ["producer", "client"],
            events.All.Where(e => e.Name.EndsWith(".Start", StringComparison.Ordinal)).Select(e => e.Tags["kind"]));
        Assert.All(events.All, e => Assert.Equal("Microsoft.ServiceBus", e.Tags["az.namespace"]));
        Assert.All(
            events.All,
            e => Assert.Equal(
                (Client.FullyQualifiedNamespace, queue.Name),
                (e.Tags["peer.address"], e.Tags["message_bus.destination"])));
    }

    [Fact]
    public async Task A_message_carries_the_trace_context_of_its_own_activity_to_its_handler()
    {
        var queue = Broker.CreateQueue();
        using var events = new DiagnosticEvents(queue.Name);
        using var request = new Activity("request").SetIdFormat(ActivityIdFormat.W3C).Start();
        var message = new ServiceBusMessage("x");
        await Sender(queue).SendMessageAsync(message, Cancelled);
        request.Stop();
        var processor = Owned(Client.CreateProcessor(queue.Name));
        processor.ProcessErrorAsync += _ => Task.CompletedTask;
        processor.ProcessMessageAsync += _ => Task.CompletedTask;

        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => events.All.Any(e => e.Name == "ServiceBusProcessor.ProcessMessage.Stop"));

        var produced = events.All.First(e => e.Name == "Message.Stop").Activity;
        var processed = events.All.First(e => e.Name == "ServiceBusProcessor.ProcessMessage.Stop").Activity;
        var completed = events.All.First(e => e.Name == "ServiceBusReceiver.Complete.Stop").Activity;
        Assert.Equal(produced.Id, message.ApplicationProperties["Diagnostic-Id"]);
        Assert.Equal(produced.Id, message.ApplicationProperties["traceparent"]);
        Assert.Equal(request.SpanId, produced.ParentSpanId);
        Assert.Equal(produced.Id, processed.ParentId);
        Assert.Equal("consumer", processed.GetTagItem("kind"));
        Assert.Equal(processed.Id, completed.ParentId);
        Assert.Equal(request.TraceId, completed.TraceId);
        Assert.DoesNotContain(events.All, e => e.Name.StartsWith("ServiceBusReceiver.Receive", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Every_operation_has_its_name()
    {
        var queue = Broker.CreateQueue();
        await SendAsync(queue, 4);
        using var events = new DiagnosticEvents(queue.Name);
        var receiver = Receiver(queue);

        await receiver.PeekMessageAsync(cancellationToken: Cancelled);
        var message = await OneAsync(receiver);
        await receiver.RenewMessageLockAsync(message, Cancelled);
        await receiver.CompleteMessageAsync(message, Cancelled);
        await receiver.AbandonMessageAsync(await OneAsync(receiver), cancellationToken: Cancelled);
        await receiver.DeadLetterMessageAsync(await OneAsync(receiver), cancellationToken: Cancelled);
        message = await OneAsync(receiver);
        await receiver.DeferMessageAsync(message, cancellationToken: Cancelled);
        await receiver.ReceiveDeferredMessageAsync(message.SequenceNumber, Cancelled);
        var due = TimeProvider.System.GetUtcNow().AddHours(1);
        var number = await Sender(queue).ScheduleMessageAsync(new ServiceBusMessage(), due, Cancelled);
        await Sender(queue).CancelScheduledMessageAsync(number, Cancelled);

        Assert.Equal(
            [
                "ServiceBusReceiver.Peek", "ServiceBusReceiver.Receive", "ServiceBusReceiver.RenewMessageLock",
                "ServiceBusReceiver.Complete", "ServiceBusReceiver.Receive", "ServiceBusReceiver.Abandon",
                "ServiceBusReceiver.Receive", "ServiceBusReceiver.DeadLetter", "ServiceBusReceiver.Receive",
                "ServiceBusReceiver.Defer", "ServiceBusReceiver.ReceiveDeferred", "Message", "ServiceBusSender.Schedule",
                "ServiceBusSender.Cancel",
            ],
            events.Stops.Select(e => e.Name[..^".Stop".Length]));
    }

    [Fact]
    public async Task Operations_link_to_the_messages_that_they_are_about()
    {
        var queue = Broker.CreateQueue();
        using var events = new DiagnosticEvents(queue.Name);
        await SendAsync(queue, 2);

        var send = events.All.Single(e => e.Name == "ServiceBusSender.Send.Start");
        var property = send.Payload!.GetType().GetProperty("Links", typeof(IEnumerable<Activity>))!;
        var links = (IEnumerable<Activity>)property.GetValue(send.Payload)!;

        Assert.Equal(events.All.Where(e => e.Name == "Message.Stop").Select(e => e.Activity.Id), links.Select(link => link.ParentId));
    }

    [Fact]
    public async Task A_receive_is_told_from_the_begin_of_its_wait()
    {
        var queue = Broker.CreateQueue();
        var time = new ManualTimeProvider();
        var began = time.GetUtcNow();
        using var events = new DiagnosticEvents(queue.Name);
        var receiver = Owned(NewClient(options => options.TimeProvider = time).CreateReceiver(queue.Name));
        var waiting = OneAsync(receiver);
        await Eventually.HoldsAsync(async () => (await CountersAsync(queue)).GetProperty("links").GetArrayLength() == 1);

        time.Advance(TimeSpan.FromSeconds(5));
        await SendAsync(queue, 1);
        await waiting;

        Assert.Equal(began.UtcDateTime, events.Stops.Single(e => e.Name == "ServiceBusReceiver.Receive.Stop").Activity.StartTimeUtc);
    }

    [Theory]
    [InlineData("traceparent")]
    [InlineData("Diagnostic-Id")]
    public async Task A_trace_context_under_either_of_its_names_is_kept_and_handled_as_the_parent(string property)
    {
        const string parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        var queue = Broker.CreateQueue();
        using var events = new DiagnosticEvents(queue.Name);
        await Sender(queue).SendMessageAsync(new ServiceBusMessage("x") { ApplicationProperties = { [property] = parent } }, Cancelled);
        await using var processor = Client.CreateProcessor(queue.Name);
        processor.ProcessErrorAsync += _ => Task.CompletedTask;
        processor.ProcessMessageAsync += _ => Task.CompletedTask;

        await processor.StartProcessingAsync(Cancelled);
        await Eventually.HoldsAsync(() => events.All.Any(e => e.Name == "ServiceBusProcessor.ProcessMessage.Stop"));

        Assert.Equal(parent, events.All.First(e => e.Name == "ServiceBusProcessor.ProcessMessage.Stop").Activity.ParentId);
        Assert.DoesNotContain(events.All, e => e.Name == "Message.Start");
    }

    [Fact]
    public async Task A_failure_is_told_with_its_exception()
    {
        using var events = new DiagnosticEvents("nowhere");
        await using var sender = Client.CreateSender("nowhere");

        var error = await Assert.ThrowsAsync<ServiceBusException>(() => sender.SendMessageAsync(new ServiceBusMessage("x"), Cancelled));

        Assert.Same(error, events.All.Single(e => e.Name == "ServiceBusSender.Send.Exception").Payload);
        Assert.Equal("ServiceBusSender.Send.Stop", events.All[^1].Name);
    }

    [Fact]
    public async Task Without_a_subscriber_a_message_carries_the_context_of_its_caller()
    {
        var queue = Broker.CreateQueue();
        var alone = new ServiceBusMessage("alone");
        var inRequest = new ServiceBusMessage("in a request");
        var sender = Sender(queue);

        await sender.SendMessageAsync(alone, Cancelled);
        using var request = new Activity("request").SetIdFormat(ActivityIdFormat.W3C).Start();
        await sender.SendMessageAsync(inRequest, Cancelled);

        Assert.Empty(alone.ApplicationProperties);
        Assert.Equal(request.Id, inRequest.ApplicationProperties["Diagnostic-Id"]);
    }

    [Fact]
    public async Task Without_a_subscriber_an_operation_costs_nothing_more()
    {
        var diagnostics = new BusDiagnostics("localhost", "orders");
        var message = ServiceBusModelFactory.ServiceBusReceivedMessage();
        var done = Task.FromResult(true);
        Func<Task<bool>, Task<bool>> operation = static done => done;
        await diagnostics.RunAsync("ServiceBusReceiver.Complete", message, operation, done);

        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var i = 0; i < 1000; i++)
            _ = diagnostics.RunAsync("ServiceBusReceiver.Complete", message, operation, done);

        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
    }
}
