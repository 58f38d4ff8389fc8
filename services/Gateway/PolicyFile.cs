using DroneDelivery.ServiceDefaults.Configuration;
using Microsoft.Extensions.Configuration.Json;

namespace DroneDelivery.Gateway;

/// <summary>Adds the routes as the configuration source of lowest priority.</summary>
internal static class PolicyFile
{
    private const string Key = $"{GatewayOptions.Section}:{nameof(GatewayOptions.PolicyFile)}";

    public static void AddPolicies(this WebApplicationBuilder builder)
    {
        var error = Add(builder.Configuration);
        builder
            .Services.AddValidatedOptions<GatewayOptions>(GatewayOptions.Section)
            .Validate(_ => error is null, error ?? "");
    }

    /// <returns>The error; <c>null</c> if the file is valid.</returns>
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
