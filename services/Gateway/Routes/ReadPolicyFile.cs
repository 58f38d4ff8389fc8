using DroneDelivery.ServiceDefaults.Configuration;

namespace DroneDelivery.Gateway.Routes;

/// <summary>
/// Routes come from one place: from settings, where there are any, otherwise from a file. Two lists would be mixed element by element.
/// </summary>
internal static class ReadPolicyFile
{
    private const string
        RoutesKey = $"{GatewayOptions.Section}:{nameof(GatewayOptions.Routes)}",
        FileKey = $"{GatewayOptions.Section}:{nameof(GatewayOptions.PolicyFile)}";

    private static readonly string DefaultFile = Path.Combine(AppContext.BaseDirectory, "policies.json");

    public static void AddGatewayOptions(this WebApplicationBuilder builder)
    {
        var mistake = Read(builder.Configuration);
        builder.Services.AddValidatedOptions<GatewayOptions>(GatewayOptions.Section)
            .Validate(_ => mistake is null, mistake ?? "");
    }

    /// <returns>What is wrong with the file, or null.</returns>
    private static string? Read(ConfigurationManager configuration)
    {
        var file = configuration[FileKey];
        if (configuration.GetSection(RoutesKey).GetChildren().Any())
            return file is null ? null : $"{FileKey}: there is {RoutesKey}, too. Take one of them away.";
        try
        {
            configuration.AddJsonFile(Path.GetFullPath(file ?? DefaultFile), optional: false, reloadOnChange: false);
            return null;
        }
        catch (Exception exception)
            when (exception is IOException or InvalidDataException or UnauthorizedAccessException or ArgumentException)
        {
            return $"{FileKey}: {exception.Message} {exception.InnerException?.Message}";
        }
    }
}
