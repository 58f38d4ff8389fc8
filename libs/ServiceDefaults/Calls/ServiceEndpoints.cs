using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace DroneDelivery.ServiceDefaults.Calls;

/// <summary>
/// <c>Services:NAME:0</c>, <c>Services:NAME:1</c>, …: where the replicas of a service listen, for example <c>http://127.0.0.1:5200</c>; or
/// <c>Services:NAME:File</c>: a file that lists them, see <see cref="AddressFile"/>. Neither: its logical name is looked up in DNS.
/// </summary>
internal sealed class ServiceEndpoints
{
    public const string Section = "Services", Example = "http://127.0.0.1:5200";

    public List<Uri> Replicas { get; } = [];

    /// <summary>Where <see cref="Replicas"/> came from, and where others will; null when they are listed in the configuration.</summary>
    public string? File { get; private set; }

    public List<string> Mistakes { get; } = [];

    public static void Read(ServiceEndpoints endpoints, string service, IConfiguration configuration)
    {
        foreach (var entry in configuration.GetSection($"{Section}:{service}").GetChildren())
        {
            if (entry.Key.Equals(nameof(File), StringComparison.OrdinalIgnoreCase))
                endpoints.ReadFile(entry);
            else if (TryParse(entry.Value, out var address))
                endpoints.Replicas.Add(address);
            else
                endpoints.Mistakes.Add($"{entry.Path}: '{entry.Value}' is not an address such as {Example}.");
        }

        if (endpoints.File is not null && configuration[$"{Section}:{service}:0"] is not null)
            endpoints.Mistakes.Add($"{Section}:{service}:{nameof(File)}: there is {Section}:{service}:0, too. Take one of them away.");
    }

    public static bool TryParse(string? text, [NotNullWhen(true)] out Uri? address) =>
        Uri.TryCreate(text, UriKind.Absolute, out address) && address is { Scheme: "http", AbsolutePath: "/" };

    private void ReadFile(IConfigurationSection entry)
    {
        try
        {
            File = entry.Value!;
            Replicas.AddRange(AddressFile.Read(File));
        }
        catch (Exception exception) when (exception is FormatException or IOException or UnauthorizedAccessException or ArgumentException)
        {
            Mistakes.Add($"{entry.Path}: {exception.Message}");
        }
    }

    public sealed class Validation : IValidateOptions<ServiceEndpoints>
    {
        public ValidateOptionsResult Validate(string? name, ServiceEndpoints options) =>
            options.Mistakes.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(options.Mistakes);
    }
}
