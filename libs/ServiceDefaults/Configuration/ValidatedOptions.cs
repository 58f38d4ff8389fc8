using Microsoft.Extensions.Options;

namespace DroneDelivery.ServiceDefaults.Configuration;

public static class ValidatedOptions
{
    /// <summary>
    /// Binds <typeparamref name="TOptions"/> to a section, and checks its data annotations when the process starts. A name that the section
    /// doesn't define is an error. Adding the options again changes nothing.
    /// </summary>
    public static OptionsBuilder<TOptions> AddValidatedOptions<TOptions>(
        this IServiceCollection services,
        string section
    )
        where TOptions : class
    {
        var options = services.AddOptions<TOptions>();
        // Only a binding adds it: Configure with a delegate must not count as one.
        var isBound = services.Any(service => service.ServiceType == typeof(IOptionsChangeTokenSource<TOptions>));
        return isBound
            ? options
            : options
                .BindConfiguration(section, binder => binder.ErrorOnUnknownConfiguration = true)
                .ValidateDataAnnotations()
                .ValidateOnStart();
    }
}
