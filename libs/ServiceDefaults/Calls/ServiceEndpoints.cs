using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace DroneDelivery.ServiceDefaults.Calls;

/// <summary>
/// <c>Services:NAME:0</c>, <c>Services:NAME:1</c>, …: where the replicas of a service listen, for example <c>http://127.0.0.1:5200</c>.
/// None: its logical name is looked up in DNS.
/// </summary>
internal sealed class ServiceEndpoints
{
    public const string Section = "Services";

    public List<Uri> Replicas { get; } = [];

    public List<string> Mistakes { get; } = [];

    public static void Read(ServiceEndpoints endpoints, string service, IConfiguration configuration)
    {
        foreach (var entry in configuration.GetSection($"{Section}:{service}").GetChildren())
        {
            if (Uri.TryCreate(entry.Value, UriKind.Absolute, out var address) && address is { Scheme: "http", AbsolutePath: "/" })
                endpoints.Replicas.Add(address);
            else
                endpoints.Mistakes.Add($"{entry.Path}: '{entry.Value}' is not an address such as http://127.0.0.1:5200.");
        }
    }

    public sealed class Validation : IValidateOptions<ServiceEndpoints>
    {
        public ValidateOptionsResult Validate(string? name, ServiceEndpoints options) =>
            options.Mistakes.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(options.Mistakes);
    }
}
