using DroneDelivery.Contracts;
using DroneDelivery.Database;
using DroneDelivery.Database.Retention;
using DroneDelivery.Package;
using DroneDelivery.ServiceDefaults;
using DroneDelivery.ServiceDefaults.Security;

var builder = WebApplication.CreateSlimBuilder(MigrateCommand.GetConfigurationArguments(args));
builder.AddServiceDefaults("package", ContractJson.Configure);
builder.Services.AddDatabase("package", typeof(PackageStore).Assembly);
builder.Services.AddSingleton<PackageStore>();
builder.Services.AddSingleton<RequestedPackages>();
builder.Services.AddRetention(new OldRows("tombstones of failed requests", RequestedPackages.Purge));
builder.AddCallers();

var app = builder.Build();
app.MapServiceDefaults();
app.UseCallers();
app.MapPackages();
return await app.RunOrMigrateAsync(args);
