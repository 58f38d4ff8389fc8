namespace Azure.Messaging.ServiceBus;

/// <summary>
/// <c>Endpoint=sb://host[:port];SharedAccessKeyName=…;SharedAccessKey=…[;SharedAccessSignature=…][;EntityPath=…]</c>
/// <c>[;UseDevelopmentEmulator=true]</c>, in any order. The emulator switch turns TLS off.
/// </summary>
internal sealed record ConnectionString(
    Uri Endpoint,
    string? KeyName,
    string? Key,
    string? Signature,
    string? EntityPath,
    bool UseDevelopmentEmulator)
{
    private const int PlainPort = 5672;
    private const int TlsPort = 5671;

    public string FullyQualifiedNamespace => Endpoint.Host;

    public bool UseTls => !UseDevelopmentEmulator;

    public int Port => Endpoint.Port > 0 ? Endpoint.Port : UseTls ? TlsPort : PlainPort;

    public Uri ManagementAddress => new UriBuilder(UseTls ? "https" : "http", Endpoint.Host, Endpoint.Port).Uri;

    /// <exception cref="FormatException">The text is malformed.</exception>
    /// <exception cref="ArgumentException">The text is empty, or a part is missing or contradicts another.</exception>
    public static ConnectionString Parse(string text)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(text, "connectionString");
        var parts = Parts(text);
        var connection = new ConnectionString(
            EndpointOf(parts),
            parts.GetValueOrDefault("SharedAccessKeyName"),
            parts.GetValueOrDefault("SharedAccessKey"),
            parts.GetValueOrDefault("SharedAccessSignature"),
            parts.GetValueOrDefault("EntityPath"),
            Flag(parts, "UseDevelopmentEmulator"));
        connection.CheckAuthorization();
        return connection;
    }

    private static Dictionary<string, string> Parts(string text)
    {
        var parts = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
        foreach (var part in text.Split(';', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))
        {
            // Keys end in '=': only the first one separates.
            var at = part.IndexOf('=', StringComparison.Ordinal);
            if (at <= 0 || at == part.Length - 1)
            {
                throw new FormatException(
                    $"The connection string has the part '{part[..Math.Max(at, 0)]}' without a {(at <= 0 ? "name" : "value")}; "
                    + "parts are Name=Value, separated by ';'.");
            }

            parts[part[..at].Trim()] = part[(at + 1)..].Trim();
        }

        return parts;
    }

    private static Uri EndpointOf(Dictionary<string, string> parts)
    {
        if (!parts.TryGetValue("Endpoint", out var endpoint))
            throw new ArgumentException("The connection string has no Endpoint; it looks like Endpoint=sb://localhost:5672.");
        var absolute = endpoint.Contains("://", StringComparison.Ordinal) ? endpoint : $"sb://{endpoint}";
        if (!Uri.TryCreate(absolute, UriKind.Absolute, out var address) || address.Host.Length == 0)
        {
            throw new FormatException(
                $"The connection string's Endpoint '{endpoint}' is not an address; it looks like sb://localhost:5672.");
        }

        return new UriBuilder("sb", address.Host, address.IsDefaultPort ? -1 : address.Port).Uri;
    }

    private static bool Flag(Dictionary<string, string> parts, string name) =>
        parts.TryGetValue(name, out var value)
        && (bool.TryParse(value, out var flag)
            ? flag
            : throw new FormatException($"The connection string's {name} is '{value}'; it has to be true or false."));

    private void CheckAuthorization()
    {
        if (Signature is not null && (Key is not null || KeyName is not null))
        {
            throw new ArgumentException(
                "The connection string has a SharedAccessSignature and a SharedAccessKey; only one of the two can be used.");
        }

        if (Signature is null && (Key is null || KeyName is null))
            throw new ArgumentException("The connection string needs SharedAccessKeyName and SharedAccessKey, or a SharedAccessSignature.");
    }
}
