using System.ComponentModel.DataAnnotations;
using Azure.Identity;
using Azure.Messaging.ServiceBus;

namespace DroneDelivery.Messaging;

/// <summary>Section <c>ServiceBus</c>. Exactly one of the two addresses is set.</summary>
public sealed class ServiceBusOptions : IValidatableObject
{
    public const string Section = "ServiceBus";

    private const string ExampleConnection =
        "Endpoint=sb://localhost:5672;SharedAccessKeyName=NAME;SharedAccessKey=KEY;UseDevelopmentEmulator=true";
    private const string ExampleNamespace = "drones.servicebus.windows.net";

    /// <summary>Address and key of a local broker, or of a namespace with shared keys.</summary>
    public string? ConnectionString { get; set; }

    /// <summary>Host name of a namespace that the process accesses with its managed identity.</summary>
    public string? FullyQualifiedNamespace { get; set; }

    [Required(ErrorMessage = "Name the queue, for example delivery-requests.")]
    public string QueueName { get; set; } = "delivery-requests";

    /// <summary>The queue to which Workflow moves failed requests.</summary>
    [Required(ErrorMessage = "Name the queue of failed requests, for example delivery-requests-failed.")]
    public string FailedQueueName { get; set; } = "delivery-requests-failed";

    /// <summary>Time limit for the broker's acknowledgment, including reconnects.</summary>
    [Range(typeof(TimeSpan), "00:00:00.050", "00:05:00")]
    public TimeSpan SendTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>Creates a client without opening a connection.</summary>
    /// <exception cref="FormatException">The address is malformed.</exception>
    public ServiceBusClient CreateClient(ServiceBusClientOptions clientOptions) =>
        string.IsNullOrEmpty(ConnectionString)
            ? new ServiceBusClient(FullyQualifiedNamespace!, new DefaultAzureCredential(), clientOptions)
            : new ServiceBusClient(ConnectionString, clientOptions);

    public IEnumerable<ValidationResult> Validate(ValidationContext validationContext) =>
        FindError() is { } error ? [error] : [];

    private ValidationResult? FindError()
    {
        var hasNamespace = !string.IsNullOrEmpty(FullyQualifiedNamespace);
        var hasConnection = !string.IsNullOrEmpty(ConnectionString);
        if (hasNamespace && hasConnection)
        {
            return new(
                "ServiceBus:ConnectionString is set, too. Remove one of them.",
                [nameof(FullyQualifiedNamespace)]
            );
        }
        if (!hasNamespace && !hasConnection)
        {
            return new(
                $"Set it, for example to {ExampleConnection} (the README describes how to start a local broker), "
                    + $"or set ServiceBus:FullyQualifiedNamespace, for example to {ExampleNamespace}.",
                [nameof(ConnectionString)]
            );
        }
        var (name, example) = hasNamespace
            ? (nameof(FullyQualifiedNamespace), ExampleNamespace)
            : (nameof(ConnectionString), ExampleConnection);
        try
        {
            // Parses the address without connecting.
            _ = CreateClient(new ServiceBusClientOptions());
            return null;
        }
        catch (Exception exception) when (exception is FormatException or ArgumentException)
        {
            return new($"{exception.Message} Expected {example}", [name]);
        }
    }
}
