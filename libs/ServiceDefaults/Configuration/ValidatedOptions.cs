using Microsoft.Extensions.Options;

namespace DroneDelivery.ServiceDefaults.Configuration;

public static class ValidatedOptions
{
    /// <summary>
    /// Binds <typeparamref name="TOptions"/> to a section and validates it at startup; unknown names are errors. Repeated calls have no
    /// effect.
    /// </summary>
    public static OptionsBuilder<TOptions> AddValidatedOptions<TOptions>(
        this IServiceCollection services,
        string section
    )
        where TOptions : class
    {
        var options = services.AddOptions<TOptions>();
        // Only a binding registers this service; Configure with a delegate doesn't.
        var isBound = services.Any(service => service.ServiceType == typeof(IOptionsChangeTokenSource<TOptions>));
        return isBound
            ? options
            : options
                .BindConfiguration(section, binder => binder.ErrorOnUnknownConfiguration = true)
                .ValidateDataAnnotations()
                .ValidateOnStart();
    }
}
