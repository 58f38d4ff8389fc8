using System.ComponentModel.DataAnnotations;
using System.Reflection;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Metadata;

namespace DroneDelivery.ServiceDefaults.Validation;

/// <summary>Runs before a handler: its parameters' attributes first, then those of its body.</summary>
internal static class ValidationFilter
{
    public static void Add(EndpointBuilder endpoint) =>
        endpoint.FilterFactories.Add((factory, next) => Create(factory.MethodInfo, BodyOf(endpoint), next));

    private static EndpointFilterDelegate Create(MethodInfo handler, Type? body, EndpointFilterDelegate next)
    {
        var checks = handler.GetParameters().Select(parameter => ChecksOf(parameter, body)).ToArray();
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

    /// <summary>
    /// The framework has found out which parameter is the body, be it a record, a class or a list; the others are services, routes and
    /// queries.
    /// </summary>
    private static Type? BodyOf(EndpointBuilder endpoint) => endpoint.Metadata.OfType<IAcceptsMetadata>().LastOrDefault()?.RequestType;

    private static Action<object?, Dictionary<string, string[]>>? ChecksOf(ParameterInfo parameter, Type? body)
    {
        var (name, rules) = (NameOf(parameter), parameter.GetCustomAttributes<ValidationAttribute>().ToArray());
        Action<object?, Dictionary<string, string[]>>? check =
            rules.Length > 0 ? (value, errors) => CheckRules(name, value, rules, errors) : null;
        return parameter.ParameterType == body ? check + CheckBody : check;
    }

    // A header is called otherwise than a parameter can be.
    private static string NameOf(ParameterInfo parameter) =>
        parameter.GetCustomAttributes().OfType<IFromHeaderMetadata>().FirstOrDefault()?.Name ?? parameter.Name!;

    private static void CheckRules(string name, object? value, ValidationAttribute[] rules, Dictionary<string, string[]> errors)
    {
        if (!Array.TrueForAll(rules, rule => rule.IsValid(value)))
            errors[name] = [.. rules.Where(rule => !rule.IsValid(value)).Select(rule => rule.FormatErrorMessage(name))];
    }

    private static void CheckBody(object? body, Dictionary<string, string[]> errors)
    {
        if (body is null)
            return;
        foreach (var (path, messages) in RecordValidator.Validate(body))
            errors[path] = messages;
    }
}
