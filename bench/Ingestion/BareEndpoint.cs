using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Azure.Messaging.ServiceBus;
using DroneDelivery.Contracts;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace DroneDelivery.Bench.Ingestion;

/// <summary>
/// What Ingestion is measured against: an endpoint that parses the same JSON. It answers 200, or sends the same message with the same SDK
/// and answers 202 when the broker has it. It does nothing else: no validation, no fingerprint, no signed Location, no limit of time, no
/// words for a broker that is away, no metrics, no logging, no other route.
/// </summary>
internal static class BareEndpoint
{
    public const string Name = "bare-kestrel";
    public const string Port = "--port";
    public const string SendsTo = "--sends-to";

    private const string Queue = "delivery-requests";

    // As long as one; what it says is nothing to the broker.
    private const string Fingerprint = "0123456789abcdefghijkl";

    public static Command Command()
    {
        var port = new Option<int>(Port) { Required = true };
        var sendsTo = new Option<string?>(SendsTo)
        {
            Description = "connection string of the Service Bus; without it nothing is sent",
        };
        var command = new Command(Name, "The endpoint that Ingestion is measured against.") { port, sendsTo };
        command.SetAction((parsed, ct) => Serve(parsed.GetValue(port), parsed.GetValue(sendsTo), ct));
        return command;
    }

    private static async Task<int> Serve(int port, string? sendsTo, CancellationToken cancellationToken)
    {
        await using var client = sendsTo is null ? null : new ServiceBusClient(sendsTo);
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls($"http://127.0.0.1:{port}");
        builder.Services.ConfigureHttpJsonOptions(options => ContractJson.Configure(options.SerializerOptions));
        var app = builder.Build();
        if (client?.CreateSender(Queue) is { } sender)
            app.MapPost("/", (DeliveryRequest request) => SendAsync(request, sender));
        else
            app.MapPost("/", (DeliveryRequest request) => Results.Ok());
        await app.StartAsync(cancellationToken);
        await app.WaitForShutdownAsync(cancellationToken);
        return 0;
    }

    private static async Task<IResult> SendAsync(DeliveryRequest request, ServiceBusSender sender)
    {
        var now = TimeProvider.System.GetUtcNow();
        var id = Guid.CreateVersion7(now).ToString();
        var body = JsonSerializer.SerializeToUtf8Bytes(request with { DeliveryId = id }, ContractJson.Options);
        await sender.SendMessageAsync(
            new ServiceBusMessage(body)
            {
                MessageId = id,
                CorrelationId = id,
                ContentType = QueueMessage.ContentType,
                ApplicationProperties =
                {
                    [QueueMessage.OperationProperty] = QueueMessage.Delivery,
                    [QueueMessage.AcceptedProperty] = now.ToString("O", CultureInfo.InvariantCulture),
                    [QueueMessage.FingerprintProperty] = Fingerprint,
                },
            }
        );
        return Results.Accepted();
    }
}
