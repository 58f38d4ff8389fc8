using System.Data.Common;
using System.Text.RegularExpressions;
using Azure.Identity;
using Azure.Messaging.ServiceBus;
using Azure.Messaging.ServiceBus.Administration;

namespace DroneDelivery.Lab.Run;

/// <summary>The Service Bus of a target: a connection string, or a namespace with a managed identity.</summary>
internal sealed partial class BusConnection
{
    /// <summary>The environment variable that keeps the key out of the shell's history and the process list.</summary>
    public const string Variable = "LAB_CONNECTION";

    private const string AzureSuffix = ".servicebus.windows.net";
    private readonly string _text;
    private readonly Uri _endpoint;
    private readonly bool _hasKey,
        _isEmulator;

    public BusConnection(string text)
    {
        var parts = Read(text);
        _text = text;
        _hasKey = parts.ContainsKey("SharedAccessKey") || parts.ContainsKey("SharedAccessSignature");
        _isEmulator =
            parts.TryGetValue("UseDevelopmentEmulator", out var flag)
            && $"{flag}".Equals("true", StringComparison.OrdinalIgnoreCase);
        _endpoint =
            Uri.TryCreate($"{parts["Endpoint"]}", UriKind.Absolute, out var endpoint) && endpoint.Scheme == "sb"
                ? endpoint
                : throw Malformed();
    }

    /// <summary>The namespace in Azure; <c>null</c> for a local broker.</summary>
    public string? AzureNamespace =>
        _endpoint.Host.EndsWith(AzureSuffix, StringComparison.OrdinalIgnoreCase)
            ? _endpoint.Host[..^AzureSuffix.Length]
            : null;

    public bool IsLoopback => _endpoint.IsLoopback;

    public string Host => _endpoint.Authority;

    public Uri? LocalBroker =>
        _isEmulator
            ? new UriBuilder("http", _endpoint.Host, _endpoint.IsDefaultPort ? 5672 : _endpoint.Port).Uri
            : null;

    public ServiceBusAdministrationClient CreateAdministrationClient() =>
        _hasKey ? new(_text) : new(_endpoint.Host, new DefaultAzureCredential());

    public ServiceBusClient CreateClient() => _hasKey ? new(_text) : new(_endpoint.Host, new DefaultAzureCredential());

    public static string WithoutKeys(string command) => Key().Replace(command, "$1…");

    private static DbConnectionStringBuilder Read(string text)
    {
        try
        {
            var parts = new DbConnectionStringBuilder
            {
                ConnectionString = text.EndsWith(AzureSuffix, StringComparison.OrdinalIgnoreCase)
                    ? $"Endpoint=sb://{text}"
                    : text,
            };
            return parts.ContainsKey("Endpoint") ? parts : throw Malformed();
        }
        catch (ArgumentException)
        {
            throw Malformed();
        }
    }

    private static BadInputException Malformed() =>
        new(
            "--connection: expected Endpoint=sb://HOST;SharedAccessKeyName=NAME;SharedAccessKey=KEY as `./lab up` prints it, "
                + $"or NAMESPACE{AzureSuffix}; in quotes, because of the semicolons."
        );

    // Signatures have the form SharedAccessSignature=SharedAccessSignature sr=…&sig=…, with a space before the secret.
    [GeneratedRegex(
        "(SharedAccess(?:Key|Signature) *= *)(?:SharedAccessSignature )?[^;\"' ]+",
        RegexOptions.IgnoreCase
    )]
    private static partial Regex Key();
}
