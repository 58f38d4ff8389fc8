using DroneDelivery.ServiceDefaults.Validation;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace DroneDelivery.ServiceDefaults.Configuration;

public static class ValidatedOptions
{
    /// <summary>
    /// Binds <typeparamref name="TOptions"/> to a section and checks its validation attributes when the process starts. An option out of
    /// range, of the wrong type or with an unknown name stops the process with a message that says <c>Section:Option</c>.
    /// </summary>
    public static OptionsBuilder<TOptions> AddValidatedOptions<TOptions>(this IServiceCollection services, string section)
        where TOptions : class
    {
        services.AddSingleton<IValidateOptions<TOptions>>(new AttributeValidation<TOptions>(section));
        return services.AddOptions<TOptions>()
            .BindConfiguration(section, binder => binder.ErrorOnUnknownConfiguration = true)
            .ValidateOnStart();
    }

    private sealed class AttributeValidation<TOptions>(string section) : IValidateOptions<TOptions> where TOptions : class
    {
        public ValidateOptionsResult Validate(string? name, TOptions options)
        {
            var errors = RecordValidator.ErrorsOf(options, section, ":", property => property)
                .Select(error => $"{error.Path}: {error.Message}")
                .ToList();
            return errors.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(errors);
        }
    }
}
