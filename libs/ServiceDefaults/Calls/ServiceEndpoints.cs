using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace DroneDelivery.ServiceDefaults.Calls;

/// <summary>
/// <c>Services:NAME:0</c>, <c>Services:NAME:1</c>, …: where the replicas of a service listen, for example <c>http://127.0.0.1:5200</c>; or
/// <c>Services:NAME:KEY</c>: what the <see cref="IReplicaSource"/> with this key is told. Neither: its logical name is looked up in DNS.
/// </summary>
internal sealed class ServiceEndpoints
{
    public const string Section = "Services";

    public List<Uri> Replicas { get; } = [];

    /// <summary>Where <see cref="Replicas"/> came from, and where others will; null when they are listed in the configuration.</summary>
    public IReplicaList? List { get; private set; }

    public List<string> Mistakes { get; } = [];

    public static void Read(
        ServiceEndpoints endpoints, string service, IConfiguration configuration, IEnumerable<IReplicaSource> sources)
    {
        var section = configuration.GetSection($"{Section}:{service}");
        foreach (var entry in section.GetChildren())
        {
            if (sources.FirstOrDefault(source => source.Key.Equals(entry.Key, StringComparison.OrdinalIgnoreCase)) is { } source)
                endpoints.Open(source, entry, areListed: section["0"] is not null);
            else if (ReplicaAddress.TryParse(entry.Value, out var address))
                endpoints.Replicas.Add(address);
            else
                endpoints.Mistakes.Add($"{entry.Path}: '{entry.Value}' is not an address such as {ReplicaAddress.Example}.");
        }
    }

    private void Open(IReplicaSource source, IConfigurationSection entry, bool areListed)
    {
        if (areListed)
            Mistakes.Add($"{entry.Path}: there is {ConfigurationPath.GetParentPath(entry.Path)}:0, too. Take one of them away.");
        try
        {
            List = source.Open(entry.Value ?? "");
            Replicas.AddRange(List.Read());
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
