using Azure.Core;

namespace Azure.Messaging.ServiceBus.Administration;

/// <summary>Retries and transport are those of every Azure client.</summary>
public class ServiceBusAdministrationClientOptions : ClientOptions
{
    public ServiceBusAdministrationClientOptions(ServiceVersion version = ServiceVersion.V2021_05) => Version = version;

#pragma warning disable CA1707, CA1008 // The package's names and values.
    /// <summary>Of the management interface.</summary>
    public enum ServiceVersion
    {
        V2017_04 = 1,
        V2021_05 = 2,
    }
#pragma warning restore CA1707, CA1008

    public ServiceVersion Version { get; }

    /// <exception cref="ArgumentOutOfRangeException">There is no such version.</exception>
    internal string ApiVersion => Version switch
    {
        ServiceVersion.V2017_04 => "2017-04",
        ServiceVersion.V2021_05 => "2021-05",
        _ => throw new ArgumentOutOfRangeException(nameof(Version), Version, "There is no such version of the management interface."),
    };
}
