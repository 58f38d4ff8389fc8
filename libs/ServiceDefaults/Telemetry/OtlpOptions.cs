using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace DroneDelivery.ServiceDefaults.Telemetry;

/// <summary>
/// What is checked of the standard settings <c>OTEL_EXPORTER_OTLP_*</c>. The exporter reads them by itself, and instead of a value that it
/// does not understand it takes its default: telemetry would go nowhere without a word.
/// </summary>
internal sealed class OtlpOptions
{
    public const string EndpointKey = "OTEL_EXPORTER_OTLP_ENDPOINT", ProtocolKey = "OTEL_EXPORTER_OTLP_PROTOCOL";

    public string? Endpoint { get; set; }

    /// <summary>Absent: the exporter's default, <c>grpc</c>.</summary>
    public string? Protocol { get; set; }

    public static void Add(IServiceCollection services)
    {
        services.AddSingleton<IValidateOptions<OtlpOptions>, Validation>();
        services.AddOptions<OtlpOptions>()
            .Configure<IConfiguration>((options, configuration) =>
                (options.Endpoint, options.Protocol) = (configuration[EndpointKey], configuration[ProtocolKey]))
            .ValidateOnStart();
    }

    private sealed class Validation : IValidateOptions<OtlpOptions>
    {
        public ValidateOptionsResult Validate(string? name, OtlpOptions options)
        {
            if (!Uri.TryCreate(options.Endpoint, UriKind.Absolute, out var address) || address.Scheme is not ("http" or "https"))
            {
                return ValidateOptionsResult.Fail(
                    $"{EndpointKey}: '{options.Endpoint}' is no address such as http://collector:4317 (grpc) "
                        + "or http://collector:4318 (http/protobuf).");
            }
            return options.Protocol is null or "" or "grpc" or "http/protobuf"
                ? ValidateOptionsResult.Success
                : ValidateOptionsResult.Fail($"{ProtocolKey}: '{options.Protocol}' is unknown. Expected grpc or http/protobuf.");
        }
    }
}
