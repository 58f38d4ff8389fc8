using System.ComponentModel.DataAnnotations;
using Azure.Identity;
using Azure.Messaging.ServiceBus;

namespace DroneDelivery.Messaging;

/// <summary>Section <c>ServiceBus</c>: where the queue is. Exactly one of the two addresses is set.</summary>
public sealed class ServiceBusOptions : IValidatableObject
{
    public const string Section = "ServiceBus";

    private const string ExampleConnection =
        "Endpoint=sb://localhost:5672;SharedAccessKeyName=NAME;SharedAccessKey=KEY;UseDevelopmentEmulator=true";
    private const string ExampleNamespace = "drones.servicebus.windows.net";

    /// <summary>Address and key, for a local broker or a namespace with shared keys.</summary>
    public string? ConnectionString { get; set; }

    /// <summary>Host name of a namespace; the process opens it with its own identity.</summary>
    public string? FullyQualifiedNamespace { get; set; }

    /// <summary>The queue between Ingestion and Workflow.</summary>
    [Required(ErrorMessage = "Name the queue, for example delivery-requests.")]
    public string QueueName { get; set; } = "delivery-requests";

    /// <summary>Where Workflow puts requests that have failed, for operators.</summary>
    [Required(ErrorMessage = "Name the queue of failed requests, for example delivery-requests-failed.")]
    public string FailedQueueName { get; set; } = "delivery-requests-failed";

    /// <summary>How long Ingestion waits for the broker's acknowledgement, reconnecting included, before it answers 503.</summary>
    [Range(typeof(TimeSpan), "00:00:00.050", "00:05:00")]
    public TimeSpan SendTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>Opens no connection.</summary>
    /// <exception cref="FormatException">The address is malformed.</exception>
    public ServiceBusClient CreateClient(ServiceBusClientOptions clientOptions) =>
        string.IsNullOrEmpty(ConnectionString)
            ? new ServiceBusClient(FullyQualifiedNamespace!, new DefaultAzureCredential(), clientOptions)
            : new ServiceBusClient(ConnectionString, clientOptions);

    public IEnumerable<ValidationResult> Validate(ValidationContext validationContext)
    {
        var isNamespace = !string.IsNullOrEmpty(FullyQualifiedNamespace);
        if (FindMistake(isNamespace) is { } mistake)
            yield return new(mistake, [isNamespace ? nameof(FullyQualifiedNamespace) : nameof(ConnectionString)]);
    }

    private string? FindMistake(bool isNamespace)
    {
        if (isNamespace && !string.IsNullOrEmpty(ConnectionString))
            return "ServiceBus:FullyQualifiedNamespace is set too. Keep the one that is meant.";
        if (!isNamespace && string.IsNullOrEmpty(ConnectionString))
        {
            return $"Set it, for example to {ExampleConnection} (the README says how to start a local one), "
                + $"or set ServiceBus:FullyQualifiedNamespace, for example to {ExampleNamespace}.";
        }
        try
        {
            // Reads the whole address, and opens nothing.
            _ = CreateClient(new ServiceBusClientOptions());
            return null;
        }
        catch (Exception exception) when (exception is FormatException or ArgumentException)
        {
            return $"{exception.Message} Expected {(isNamespace ? ExampleNamespace : ExampleConnection)}";
        }
    }
}
