using DroneDelivery.ServiceDefaults.Configuration;
using Microsoft.Extensions.Configuration.Json;

namespace DroneDelivery.Gateway;

/// <summary>The file with the routes. It is the lowest source of the configuration, so any setting changes a part of it.</summary>
internal static class PolicyFile
{
    private const string Key = $"{GatewayOptions.Section}:{nameof(GatewayOptions.PolicyFile)}";

    public static void AddPolicies(this WebApplicationBuilder builder)
    {
        var mistake = Add(builder.Configuration);
        builder
            .Services.AddValidatedOptions<GatewayOptions>(GatewayOptions.Section)
            .Validate(_ => mistake is null, mistake ?? "");
    }

    /// <returns>What is wrong with the file, or null.</returns>
    private static string? Add(ConfigurationManager configuration)
    {
        try
        {
            var file = new JsonConfigurationSource
            {
                Path = Path.GetFullPath(configuration[Key] ?? Path.Combine(AppContext.BaseDirectory, "policies.json")),
            };
            file.ResolveFileProvider();
            ((IConfigurationBuilder)configuration).Sources.Insert(0, file);
            return null;
        }
        catch (Exception exception)
            when (exception is IOException or InvalidDataException or UnauthorizedAccessException or ArgumentException)
        {
            return $"{Key}: {exception.Message} {exception.InnerException?.Message}";
        }
    }
}
