using System.ComponentModel.DataAnnotations;
using Microsoft.Extensions.Options;

namespace DroneDelivery.ServiceDefaults.Configuration;

public static class ValidatedOptions
{
    /// <summary>
    /// Binds <typeparamref name="TOptions"/> to a section and checks its validation attributes when the process starts. An option out of
    /// range, of the wrong type or with an unknown name stops the process with a message that says <c>Section:Option</c>. Adding them again
    /// changes nothing.
    /// </summary>
    public static OptionsBuilder<TOptions> AddValidatedOptions<TOptions>(
        this IServiceCollection services,
        string section
    )
        where TOptions : class
    {
        if (services.Any(registered => registered.ImplementationInstance is AttributeValidation<TOptions>))
            return services.AddOptions<TOptions>();
        services.AddSingleton<IValidateOptions<TOptions>>(new AttributeValidation<TOptions>(section));
        return services
            .AddOptions<TOptions>()
            .Configure<IConfiguration>((options, configuration) => Bind(options, configuration.GetSection(section)))
            .ValidateOnStart();
    }

    private static void Bind<TOptions>(TOptions options, IConfigurationSection section)
        where TOptions : class
    {
        try
        {
            section.Bind(options, binder => binder.ErrorOnUnknownConfiguration = true);
        }
        catch (InvalidOperationException exception)
        {
            throw new OptionsValidationException(section.Path, typeof(TOptions), [MistakeIn(exception, section.Path)]);
        }
    }

    // The binder names a value that does not convert by its full path, but an unknown option only by its own name, last in the text.
    // For an element of an array it says so one exception further in.
    private static string MistakeIn(InvalidOperationException exception, string section)
    {
        var message = (exception.InnerException as InvalidOperationException ?? exception).Message;
        var isUnknown = message.Contains("were not found on the instance", StringComparison.Ordinal);
        return isUnknown
            ? $"{section}: unknown option {message[(message.LastIndexOf(": ", StringComparison.Ordinal) + 2)..]}."
            : message;
    }

    /// <summary>Errors in options, or in an object inside them: the framework validates one level.</summary>
    /// <param name="name">Its name in the configuration.</param>
    public static IEnumerable<ValidationResult> ErrorsIn(string name, object? options)
    {
        if (options is null)
            return [];
        List<ValidationResult> errors = [];
        Validator.TryValidateObject(options, new(options), errors, validateAllProperties: true);
        // The framework does not ask the object if an attribute has failed.
        if (options is IValidatableObject whole)
            errors.AddRange(whole.Validate(new(options)));
        return errors
            .Select(error => new ValidationResult(error.ErrorMessage, [string.Join(':', [name, .. error.MemberNames])]))
            .DistinctBy(error => (error.MemberNames.Single(), error.ErrorMessage));
    }

    private sealed class AttributeValidation<TOptions>(string section) : IValidateOptions<TOptions>
        where TOptions : class
    {
        public ValidateOptionsResult Validate(string? name, TOptions options)
        {
            var errors = ErrorsIn(section, options)
                .Select(error => $"{error.MemberNames.First()}: {error.ErrorMessage}")
                .ToList();
            return errors.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(errors);
        }
    }
}
