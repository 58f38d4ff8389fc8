using Microsoft.Extensions.Options;

namespace DroneDelivery.Calls;

/// <summary>
/// <c>Services:NAME:0</c>, <c>Services:NAME:1</c>, …: where the replicas of a service listen, for example <c>http://127.0.0.1:5200</c> or
/// <c>https://package.example</c>. None: DNS finds <c>http://NAME</c>.
/// </summary>
internal static class ServiceAddresses
{
    /// <exception cref="OptionsValidationException">An entry is no address.</exception>
    public static IReadOnlyList<Uri> Read(IConfiguration configuration, string service) =>
        [
            .. configuration
                .GetSection($"Services:{service}")
                .GetChildren()
                .Where(entry => uint.TryParse(entry.Key, out _))
                .Select(Parse)
                .Distinct(),
        ];

    private static Uri Parse(IConfigurationSection entry) =>
        Uri.TryCreate(entry.Value, UriKind.Absolute, out var address)
        && address is { Scheme: "http" or "https", AbsolutePath: "/" }
            ? address
            : throw new OptionsValidationException(
                entry.Path,
                typeof(Uri),
                [$"{entry.Path}: '{entry.Value}' is not an address such as http://127.0.0.1:5200."]
            );
}
