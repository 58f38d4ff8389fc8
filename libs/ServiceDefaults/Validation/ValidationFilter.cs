using System.ComponentModel.DataAnnotations;
using System.Reflection;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.ServiceDefaults.Validation;

/// <summary>Runs before a handler: its parameters' attributes first, then those of its body.</summary>
internal static class ValidationFilter
{
    public static EndpointFilterDelegate Create(EndpointFilterFactoryContext factory, EndpointFilterDelegate next)
    {
        var parameters = factory.MethodInfo.GetParameters();
        var checks = parameters.Select(CheckOf).ToArray();
        if (checks.All(check => check is null))
            return next;

        return context =>
        {
            var errors = new Dictionary<string, string[]>();
            for (var i = 0; i < checks.Length; i++)
                checks[i]?.Invoke(context.Arguments[i], errors);
            return errors.Count == 0 ? next(context) : ValueTask.FromResult<object?>(TypedResults.ValidationProblem(errors));
        };
    }

    private static Action<object?, Dictionary<string, string[]>>? CheckOf(ParameterInfo parameter)
    {
        var rules = parameter.GetCustomAttributes<ValidationAttribute>().ToArray();
        if (rules.Length > 0)
            return (value, errors) => CheckRules(parameter.Name!, value, rules, errors);
        return IsBody(parameter.ParameterType) ? CheckBody : null;
    }

    private static void CheckRules(string name, object? value, ValidationAttribute[] rules, Dictionary<string, string[]> errors)
    {
        var failures = rules.Where(rule => !rule.IsValid(value)).Select(rule => rule.FormatErrorMessage(name)).ToArray();
        if (failures.Length > 0)
            errors[name] = failures;
    }

    private static void CheckBody(object? body, Dictionary<string, string[]> errors)
    {
        if (body is null)
            return;
        foreach (var (path, messages) in RecordValidator.Validate(body))
            errors[path] = messages;
    }

    // Records are bodies; services, contexts and tokens are not records.
    private static bool IsBody(Type type) => type.IsClass && type.GetMethod("<Clone>$") is not null;
}
