// page.js PLAYWRIGHT BROWSER PAGE MANY [FOLDER]: uses the pages as people do; writes screenshots to FOLDER.
'use strict';
const assert = require('assert');
const [playwright, browserPath, page1, page5000, folder] = process.argv.slice(2);
const {chromium} = require(playwright);

async function open(browser, file, options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems = [];
  page.on('console', message => { if (message.type() === 'error') problems.push(message.text()); });
  page.on('pageerror', error => problems.push(String(error)));
  page.on('dialog', dialog => { problems.push('dialog: ' + dialog.message()); dialog.dismiss(); });
  page.on('request', request => { if (!request.url().startsWith('file://' + file)) problems.push('request: ' + request.url()); });
  await page.goto('file://' + file);
  return {page, problems, close: () => context.close()};
}
const luminance = color => { const [r, g, b] = color.match(/\d+/g).map(Number); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };

async function looks(browser) {
  for (const [width, height] of [[1300, 950], [400, 850]])
    for (const colorScheme of ['light', 'dark']) {
      const {page, problems, close} = await open(browser, page1, {viewport: {width, height}, colorScheme});
      const back = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const text = await page.evaluate(() => getComputedStyle(document.body).color);
      assert(colorScheme === 'dark' ? luminance(back) < 60 : luminance(back) > 200, colorScheme + ' has ' + back);
      assert(Math.abs(luminance(back) - luminance(text)) > 130, 'contrast');
      assert(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is wider than ' + width);
      assert.equal(await page.locator('#detail h2').count(), 1);
      if (folder) await page.screenshot({path: `${folder}/page-${width}-${colorScheme}.png`, fullPage: width < 1000});
      assert.deepEqual(problems, []);
      await close();
    }
}

async function uses(browser) {
  const {page, problems, close} = await open(browser, page1, {viewport: {width: 1300, height: 950}});
  const rows = page.locator('#list a');
  const all = await rows.count();
  assert(all >= 4, 'rows: ' + all);
  // The picture: lanes, both accesses, the missing order, and the same for a screen reader.
  await rows.filter({hasText: 'totals_.paid'}).first().click();
  assert.equal(await page.locator('figure svg rect.access').count(), 2);
  assert.equal(await page.locator('figure svg .missing-text').innerHTML(), 'no order');
  assert((await page.locator('figure svg path.edge').count()) >= 2, 'creations');
  assert((await page.locator('figure svg desc').innerHTML()).includes('nothing leads from the earlier access to the later one'));
  assert.equal(await page.getByRole('img', {name: /Threads and the two accesses/}).count(), 1);
  assert.equal(await page.locator('pre mark').count(), 2);
  assert.equal(await page.locator('pre mark').first().innerText(), 'totals_.paid');
  // Names and landmarks.
  assert.equal(await page.getByRole('navigation', {name: 'findings'}).count(), 1);
  assert.equal(await page.getByRole('main', {name: 'finding'}).count(), 1);
  assert.equal(await page.getByRole('searchbox', {name: /Search/}).count(), 1);
  for (const label of ['Evidence', 'State', 'Rule']) assert.equal(await page.getByRole('combobox', {name: label}).count(), 1);
  assert.equal(await page.locator('#list a[aria-current=true]').count(), 1);
  // Keys.
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'search');
  await page.keyboard.type('limit');
  assert.equal(await rows.count(), await rows.filter({hasText: 'limit'}).count());
  assert((await page.getByRole('status').innerText()).endsWith(' of ' + all + ' findings'));
  await page.keyboard.press('Escape');
  assert.equal(await rows.count(), all);
  await page.keyboard.press('ArrowDown');
  const first = await rows.first().evaluate(row => row === document.activeElement);
  assert(first, 'the arrow leads into the list');
  for (const key of ['j', 'j', 'k', 'Enter']) await page.keyboard.press(key);
  assert.equal(await rows.nth(1).evaluate(row => row === document.activeElement && row.getAttribute('aria-current')), 'true');
  assert.equal(await page.locator('#detail h2').innerText(), 'data race on ' + await rows.nth(1).locator('strong').innerText());
  // Filters.
  await page.getByRole('combobox', {name: 'Evidence'}).selectOption('not proved');
  assert((await rows.count()) > 0 && (await rows.count()) < all);
  await page.getByRole('combobox', {name: 'Evidence'}).selectOption('');
  // Theme.
  await page.getByRole('button', {name: /Theme/}).click();
  await page.getByRole('button', {name: /Theme/}).click();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  // Hostile names are text.
  await page.locator('#search').fill('<img src=x');
  assert.equal(await rows.count(), 2);
  const shown = [];
  for (let i = 0; i < 2; ++i) {
    await rows.nth(i).click();
    shown.push(await page.locator('#detail').innerText());
  }
  assert(shown.every(text => text.includes('<img src=x onerror=alert(1)>.cpp')), shown[0]);
  assert(shown.some(text => text.includes('<b onclick=alert(1)>')), shown[1]);
  assert.equal(await page.locator('#detail b, #detail img, #list img, [onclick], [onload], [onerror]').count(), 0);
  assert.equal(await page.title(), 'Footrace findings');
  assert.deepEqual(problems, []);
  await close();
}

async function many(browser) {
  const started = Date.now();
  const {page, problems, close} = await open(browser, page5000, {viewport: {width: 1300, height: 950}});
  await page.locator('#list a').first().waitFor();
  const opened = Date.now() - started;
  const typed = Date.now();
  await page.locator('#search').fill('member_4711');
  assert.equal(await page.locator('#list a').count(), 1);
  assert((await page.getByRole('status').innerText()).startsWith('1 of 5000'));
  const searched = Date.now() - typed;
  await page.locator('#search').fill('');
  await page.locator('#list .more button').click();
  assert.equal(await page.locator('#list a').count(), 400);
  console.log(`5,000 findings: open ${opened} ms, search ${searched} ms`);
  assert(opened < 20000 && searched < 5000, 'too slow');
  assert.deepEqual(problems, []);
  await close();
}

(async () => {
  const browser = await chromium.launch({executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu']});
  await looks(browser);
  await uses(browser);
  await many(browser);
  await browser.close();
  console.log('done');
})().catch(error => { console.error(error); process.exit(1); });
