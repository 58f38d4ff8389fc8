using System.Collections.Concurrent;
using System.Globalization;
using System.Text.Json;
using Microsoft.ApplicationInsights.Channel;
using Microsoft.ApplicationInsights.DataContracts;
using Microsoft.ApplicationInsights.DependencyCollector;
using Microsoft.ApplicationInsights.Extensibility;
using JsonSerializer = Microsoft.ApplicationInsights.Extensibility.Implementation.JsonSerializer;

namespace Azure.Messaging.ServiceBus.Tests.Diagnostics;

/// <summary>The collector of Application Insights, which knows nothing of this library, records what it records of the Azure SDK.</summary>
[Collection(nameof(WithoutOtherListeners))]
public sealed class ApplicationInsightsTests : BusTest
{
    [Fact]
    public async Task Send_and_process_are_recorded_as_the_rows_of_one_operation()
    {
        var queue = Broker.CreateQueue();
        using var recorded = new Recording();
        await Sender(queue).SendMessageAsync(new ServiceBusMessage("x"), Cancelled);
        await ProcessAsync(queue.Name, _ => Task.CompletedTask);
        await Eventually.HoldsAsync(() => recorded.Of<RequestTelemetry>().Count == 1);

        var target = $"{Client.FullyQualifiedNamespace}/{queue.Name}";
        var request = Assert.Single(recorded.Of<RequestTelemetry>());
        Assert.Equal(
            ("ServiceBusProcessor.ProcessMessage", target, true, "200"),
            (request.Name, request.Source, request.Success, ResponseCode(request)));
        var dependencies = recorded.Of<DependencyTelemetry>()
            .OrderBy(row => row.Timestamp)
            .Select(row => (row.Name, row.Type, row.Target, row.Success));
        Assert.Equal(
            [
                ("Message", $"Queue Message | Azure Service Bus", target, true),
                ("ServiceBusSender.Send", "Azure Service Bus", target, true),
                ("ServiceBusReceiver.Complete", "Azure Service Bus", target, true),
            ],
            dependencies);
        var message = recorded.Of<DependencyTelemetry>().Single(row => row.Name == "Message");
        var completed = recorded.Of<DependencyTelemetry>().Single(row => row.Name == "ServiceBusReceiver.Complete");
        Assert.Equal(message.Context.Operation.Id, request.Context.Operation.Id);
        Assert.Equal(message.Id, request.Context.Operation.ParentId);
        Assert.Equal(request.Id, completed.Context.Operation.ParentId);
    }

    [Fact]
    public async Task A_handler_that_fails_is_a_request_that_failed()
    {
        var queue = Broker.CreateQueue(options => options with { MaxDeliveryCount = 1 });
        await SendAsync(queue, 1);
        using var recorded = new Recording();

        await ProcessAsync(queue.Name, _ => throw new InvalidOperationException("no good"));
        await Eventually.HoldsAsync(() => recorded.Of<RequestTelemetry>().Count == 1);

        var request = recorded.Of<RequestTelemetry>()[0];
        Assert.False(request.Success);
        Assert.Contains("no good", request.Properties["Error"], StringComparison.Ordinal);
        Assert.Equal("ServiceBusReceiver.Abandon", recorded.Of<DependencyTelemetry>()[0].Name);
    }

    /// <summary>As it is uploaded: the code is filled in then.</summary>
    private static string? ResponseCode(RequestTelemetry request) =>
        JsonDocument.Parse(JsonSerializer.Serialize([request], compress: false)).RootElement
            .GetProperty("data").GetProperty("baseData").GetProperty("responseCode").GetString();

    private async Task ProcessAsync(string queue, Func<ProcessMessageEventArgs, Task> handler)
    {
        var handled = new TaskCompletionSource();
        await using var processor = Client.CreateProcessor(queue);
        processor.ProcessErrorAsync += _ => Task.CompletedTask;
        processor.ProcessMessageAsync += args =>
        {
            handled.TrySetResult();
            return handler(args);
        };
        await processor.StartProcessingAsync(Cancelled);
        await handled.Task.WaitAsync(Patience, Cancelled);
        await processor.StopProcessingAsync(Cancelled);
    }

    private sealed class Recording : ITelemetryChannel
    {
        private readonly ConcurrentQueue<ITelemetry> _items = [];
        private readonly DependencyTrackingTelemetryModule _module = new();
        private readonly TelemetryConfiguration _configuration;

        public Recording()
        {
            _configuration = new TelemetryConfiguration
            {
                ConnectionString = string.Create(
                    CultureInfo.InvariantCulture, $"InstrumentationKey={Guid.NewGuid()};IngestionEndpoint=http://127.0.0.1:9/"),
                TelemetryChannel = this,
            };
            _configuration.TelemetryInitializers.Add(new OperationCorrelationTelemetryInitializer());
            _module.Initialize(_configuration);
        }

        public bool? DeveloperMode { get; set; }

        public string EndpointAddress { get; set; } = "";

        public IReadOnlyList<T> Of<T>() where T : ITelemetry => [.. _items.OfType<T>()];

        public void Send(ITelemetry item) => _items.Enqueue(item);

        public void Flush()
        {
        }

        public void Dispose()
        {
            _module.Dispose();
            _configuration.Dispose();
        }
    }
}
